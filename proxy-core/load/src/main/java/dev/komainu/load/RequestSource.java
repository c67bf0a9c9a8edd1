package dev.komainu.load;

/** The source of the next visitor's request. Owned by the thread that schedules the visitors. */
interface RequestSource {

    /**
     * Returns the next request's target.
     *
     * @param second instant of the request since the start of the load
     * @return a path and query that starts with a slash
     */
    String next(double second);
}
