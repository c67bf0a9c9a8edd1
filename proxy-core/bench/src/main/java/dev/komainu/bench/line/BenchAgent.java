package dev.komainu.bench.line;

/** Somebody who asks for one object after the other. On the agents' event loop. */
interface BenchAgent {

    /** Asks for an object; told to {@link Round#done} or {@link Round#failed} once. */
    void ask(Round round);

    /** One object asked for by one agent. */
    interface Round {

        /** How large it shall be. */
        int bytes();

        void done(int received);

        void failed(String why);
    }
}
