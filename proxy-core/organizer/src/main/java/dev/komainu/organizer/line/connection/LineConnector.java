package dev.komainu.organizer.line.connection;

/** A way to connect to one peer, over one carrier. On the line's event loop. */
public interface LineConnector {

    /** The owner of the connection to be made. It gets the outcome of each attempt once. */
    interface Caller extends LineConnection.Owner {

        /**
         * Called when the connection is established; {@link #ready} reports when it can be used.
         */
        void dialled(LineConnection made);

        /**
         * Called when the attempt failed.
         *
         * @param why reason for operators
         */
        void failed(String why);
    }

    /**
     * Starts one attempt. It ends in {@link Caller#dialled} or {@link Caller#failed}, on the loop.
     */
    void dial(Caller caller);
}
