package dev.komainu.central.alert;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A step of an alert that must be written down, and perhaps told.
 *
 * @param tell absent: nobody is told
 * @param receivers the rule's; empty: all
 */
record News(Alert alert, @Nullable Tell tell, List<String> receivers) {

    News {
        receivers = List.copyOf(receivers);
    }
}
