package dev.komainu.central.alert;

import dev.komainu.telemetry.wire.Sha256;
import java.time.Instant;

/**
 * A message about an alert for its receivers.
 *
 * @param tell reason for the notice. Its name is part of the stored JSON
 * @param alert state of the alert at that time
 */
public record Notice(NoticeReason tell, Alert alert, Instant at) {

    /**
     * Returns the id of this notice's delivery to a receiver. It is the same when the notice is
     * stored again, because it was not known whether it is stored.
     *
     * @param receiver id of the receiver
     */
    public String deliveryId(String receiver) {
        return Sha256.hex(String.join("\n", alert.id(), tell.text(), at.toString(), receiver))
                .substring(0, 16);
    }

    public boolean resolved() {
        return tell == NoticeReason.RESOLVED;
    }
}
