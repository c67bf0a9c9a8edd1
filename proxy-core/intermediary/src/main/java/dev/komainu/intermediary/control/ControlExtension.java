package dev.komainu.intermediary.control;

/** Additional pages of the control endpoint, from a component outside the proxy. Any thread. */
public interface ControlExtension {

    /**
     * Responds to a request if it is for one of these pages.
     *
     * @param page the rest of the path
     * @return false when it is for another page; nothing was sent then
     * @throws IllegalArgumentException with a parameter, its value and the expected values
     */
    boolean serve(
            ControlExchange exchange,
            String page,
            QueryParameters query,
            ControlAuthorization authorization);

    /** Returns additional lines of {@code GET /metrics}. */
    String metrics();
}
