package dev.komainu.central.alert;

import java.time.Instant;

/**
 * A message about an alert for its receivers.
 *
 * @param tell reason for the notice. Its name is part of the stored JSON
 * @param alert state of the alert at that time
 */
public record Notice(NoticeReason tell, Alert alert, Instant at) {

    public boolean resolved() {
        return tell == NoticeReason.RESOLVED;
    }
}
