package dev.komainu.organizer.front;

import dev.komainu.intermediary.purge.PurgeLog;
import dev.komainu.intermediary.purge.PurgeOrder;
import dev.komainu.intermediary.purge.PurgeProof;
import dev.komainu.intermediary.purge.PurgeRefusal;
import org.jspecify.annotations.Nullable;

/** The rights of members to purge in the whole cluster. Thread-safe. */
public interface PurgeRights {

    /** Each member of the cluster may order everything. */
    PurgeRights UNRESTRICTED = new PurgeRights() {
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

    /** Returns the reason why this member's order may not be sent to others; null: it may. */
    @Nullable
    PurgeRefusal ownRefusal(PurgeOrder order);

    /** Returns the proof that an order is of this member; null: no proof is needed. */
    @Nullable
    PurgeProof proof(PurgeLog.Entry entry);

    /** Returns the reason why another member's order is refused here; null: it is carried out. */
    @Nullable
    PurgeRefusal refusal(PurgeLog.Entry entry);
}
