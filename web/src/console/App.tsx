// The console for those who are signed in.
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { onOtherUser } from "../api/session";
import { Kit } from "./kit/Kit";
import { queries } from "./queries";
import { router } from "./router";

onOtherUser(() => queries.clear());

const App = () => (
  <QueryClientProvider client={queries}>
    <Kit>
      <RouterProvider router={router} />
    </Kit>
  </QueryClientProvider>
);

export default App;
