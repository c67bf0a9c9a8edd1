package dev.komainu.central.alert;

import dev.komainu.central.state.ServiceState;
import java.util.Arrays;
import java.util.List;

/**
 * A matcher of states against the names in rules and silences: a label, or the family before its
 * slash.
 */
public final class StateMatch {

    private StateMatch() {}

    /** Reports whether one of the names matches this state. */
    static boolean any(List<String> names, String state) {
        return names.stream().anyMatch(name -> state.equals(name) || state.startsWith(name + "/"));
    }

    /** Reports whether a state has this name. */
    public static boolean known(String name) {
        return Arrays.stream(ServiceState.values())
                .anyMatch(state -> any(List.of(name), state.label()));
    }
}
