package dev.komainu.agent.connection;

/**
 * The keys of the connections behind the events of a
 * {@link dev.komainu.agent.connection.tcp.ConnectionListener}, for a listener that counts by
 * connection. The source's thread.
 */
public interface ConnectionKeys {

    /** Returns the key of the connection whose event is being reported. */
    long current();

    /** Passes on every connection that counts as open at present. */
    void openConnections(Receiver receiver);

    /** The receiver of open connections. */
    @FunctionalInterface
    interface Receiver {

        /**
         * Accepts an open connection.
         *
         * @param service number of the connection's service, as in events
         * @param waiting whether a reported request has no response yet
         */
        void open(int service, long key, boolean waiting);
    }
}
