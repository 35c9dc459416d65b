// Kit sets up what all of the console is made of: Mantine with stoa's tokens, and toasts.
import {
  ActionIcon,
  Button,
  createTheme,
  DirectionProvider,
  MantineProvider,
  Menu,
  Modal,
  Popover,
  Select,
  Table,
  TextInput,
  Tooltip,
} from "@mantine/core";
import type { MantineColorSchemeManager } from "@mantine/core";
import type { ReactNode } from "react";
import { chooseScheme, chosenScheme } from "../../theme/scheme";
import { Toasts } from "./toast";
import "./styles";

const quick = { transitionProps: { duration: 100 } };

const theme = createTheme({
  fontFamily: "var(--sans)",
  fontFamilyMonospace: "var(--mono)",
  primaryColor: "teal",
  defaultRadius: "sm",
  respectReducedMotion: true,
  cursorType: "pointer",
  components: {
    ActionIcon: ActionIcon.extend({ defaultProps: { variant: "subtle", color: "gray", size: "lg" } }),
    Button: Button.extend({ defaultProps: { variant: "default" } }),
    // lockScroll would add a style element, which the Content-Security-Policy forbids.
    Modal: Modal.extend({ defaultProps: { lockScroll: false, centered: false, yOffset: "10dvh", ...quick } }),
    Menu: Menu.extend({ defaultProps: { ...quick, position: "bottom-end" } }),
    Popover: Popover.extend({ defaultProps: quick }),
    Select: Select.extend({ defaultProps: { allowDeselect: false, comboboxProps: quick } }),
    Table: Table.extend({ defaultProps: { horizontalSpacing: 12, verticalSpacing: 0 } }),
    TextInput: TextInput.extend({ defaultProps: { autoComplete: "off" } }),
    Tooltip: Tooltip.extend({ defaultProps: { ...quick, openDelay: 300 } }),
  },
});

const scheme: MantineColorSchemeManager = {
  get: () => chosenScheme(),
  set: chooseScheme,
  subscribe: () => {},
  unsubscribe: () => {},
  clear: () => chooseScheme("auto"),
};

export const Kit = ({ children }: { children: ReactNode }) => (
  <DirectionProvider>
    <MantineProvider
      theme={theme}
      colorSchemeManager={scheme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}>
      {children}
      <Toasts />
    </MantineProvider>
  </DirectionProvider>
);
