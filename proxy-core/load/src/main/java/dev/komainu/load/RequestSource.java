package dev.komainu.load;

/** What the next visitor asks for. Owned by the thread that decides when visitors come. */
interface RequestSource {

    /**
     * @param second instant of the wish since the start of the load
     * @return a path and query, beginning with a slash
     */
    String next(double second);
}
