// A filter of a list whose choices the server finds by what is typed.
import { Select } from "@mantine/core";
import { useState } from "react";
import { useListSearch } from "./useListSearch";

interface FindFilterProps {
  name: string; // in the address
  label: string;
  none: string; // what stands in place of choices
  // The choices for what was typed, which is empty while one is chosen.
  useChoices: (typed: string, chosen: string | null) => { value: string; label: string }[];
}

export const FindFilter = ({ name, label, none, useChoices }: FindFilterProps) => {
  const { search, set } = useListSearch();
  const [typed, setTyped] = useState("");
  const chosen = search[name] === undefined ? null : String(search[name]);
  // A searchable Select reports the label of what is chosen as typed; that is no question.
  const choices = useChoices(chosen ? "" : typed, chosen);
  return (
    <Select
      aria-label={label}
      placeholder={label}
      data={choices}
      clearable
      searchable
      w={200}
      filter={({ options }) => options}
      nothingFoundMessage={none}
      value={chosen}
      onSearchChange={setTyped}
      onChange={(value) => set({ [name]: value ?? undefined })}
    />
  );
};
