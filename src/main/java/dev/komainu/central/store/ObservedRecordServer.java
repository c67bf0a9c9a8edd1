package dev.komainu.central.store;

import java.util.Optional;
import java.util.function.Supplier;

/** A store on a server of its own. Any thread; nothing blocks. */
@FunctionalInterface
public interface ObservedRecordServer {

    /** Returns the newest state of the server. */
    RecordServerState server();

    /** Returns the states of a store's server: always empty for a store without one. */
    static Supplier<Optional<RecordServerState>> of(RecordStore store) {
        return store instanceof ObservedRecordServer observed
                ? () -> Optional.of(observed.server())
                : Optional::empty;
    }
}
