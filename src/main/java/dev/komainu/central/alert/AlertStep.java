package dev.komainu.central.alert;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A step of an alert that must be stored, with its notice if one is due.
 *
 * @param reason reason for a notice; absent: no notice is sent
 * @param receivers ids of the rule's receivers; empty: all
 */
record AlertStep(Alert alert, @Nullable NoticeReason reason, List<String> receivers) {

    AlertStep {
        receivers = List.copyOf(receivers);
    }
}
