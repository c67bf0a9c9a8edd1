package dev.komainu.central.alert;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A step of an alert that must be stored and may be notified.
 *
 * @param tell absent: no notice
 * @param receivers the rule's; empty: all
 */
record AlertStep(Alert alert, @Nullable NoticeReason tell, List<String> receivers) {

    AlertStep {
        receivers = List.copyOf(receivers);
    }
}
