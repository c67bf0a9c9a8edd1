package dev.komainu.central.alert;

import java.time.Instant;

/**
 * A message about an alert for its receivers.
 *
 * @param tell why now
 * @param alert as it was at that moment
 */
public record Notice(NoticeReason tell, Alert alert, Instant at) {

    public boolean resolved() {
        return tell == NoticeReason.RESOLVED;
    }
}
