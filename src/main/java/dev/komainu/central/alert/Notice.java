package dev.komainu.central.alert;

import java.time.Instant;

/**
 * What somebody is to be told.
 *
 * @param tell why now
 * @param alert as it was at that moment
 */
public record Notice(NoticeReason tell, Alert alert, Instant at) {

    public boolean resolved() {
        return tell == NoticeReason.RESOLVED;
    }
}
