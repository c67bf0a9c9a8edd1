package dev.komainu.central.alert;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A step of an alert that must be written down, and perhaps told.
 *
 * @param tell absent: nobody is told
 * @param receivers the rule's; empty: all
 */
record AlertStep(Alert alert, @Nullable NoticeReason tell, List<String> receivers) {

    AlertStep {
        receivers = List.copyOf(receivers);
    }
}
