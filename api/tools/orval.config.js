// Where the test's generated client goes; the test sets the address.
export default {
  stoa: {
    input: process.env.STOA_OPENAPI,
    output: { target: process.env.STOA_CLIENT, client: "fetch", mode: "single" },
  },
};
