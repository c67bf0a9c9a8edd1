package dev.komainu.organizer.line.connection;

/** A way to connect to one peer, over one carrier. On the line's event loop. */
public interface LineConnector {

    /** The owner of the connection to be made; told the outcome of each attempt once. */
    interface Caller extends LineConnection.Owner {

        /** It is connected; {@link #ready} tells when it can be used. */
        void dialled(LineConnection made);

        /** @param why for people */
        void failed(String why);
    }

    /**
     * Begins one attempt. It ends in {@link Caller#dialled} or {@link Caller#failed}, on the loop.
     */
    void dial(Caller caller);
}
