package dev.komainu.organizer.front;

import dev.komainu.intermediary.purge.PurgeLog;
import dev.komainu.intermediary.purge.PurgeOrder;
import dev.komainu.intermediary.purge.PurgeProof;
import dev.komainu.intermediary.purge.PurgeRefusal;
import org.jspecify.annotations.Nullable;

/** Who may have what purged in the whole cluster. Safe for threads. */
public interface PurgeRights {

    /** Whoever may join may order everything. */
    PurgeRights EVERYBODY = new PurgeRights() {
        @Override
        public @Nullable PurgeRefusal ownRefusal(PurgeOrder order) {
            return null;
        }

        @Override
        public @Nullable PurgeProof proof(PurgeLog.Entry entry) {
            return null;
        }

        @Override
        public @Nullable PurgeRefusal refusal(PurgeLog.Entry entry) {
            return null;
        }
    };

    /** Why this member may not have it carried out elsewhere; absent: it may. */
    @Nullable
    PurgeRefusal ownRefusal(PurgeOrder order);

    /** What shows others that an order is this member's; absent: nobody wants to see anything. */
    @Nullable
    PurgeProof proof(PurgeLog.Entry entry);

    /** Why another member's order is not carried out here; absent: it is. */
    @Nullable
    PurgeRefusal refusal(PurgeLog.Entry entry);
}
