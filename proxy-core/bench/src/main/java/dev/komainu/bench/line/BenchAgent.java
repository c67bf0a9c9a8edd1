package dev.komainu.bench.line;

/** A client that requests one object after another. Used on the agents' event loop. */
interface BenchAgent {

    /** Requests an object; {@link Round#done} or {@link Round#failed} is called once. */
    void request(Round round);

    /** One object requested by one agent. */
    interface Round {

        /** Returns the size of the requested object in bytes. */
        int bytes();

        void done(int received);

        void failed(String reason);
    }
}
