package dev.komainu.intermediary.control;

/** The pages of a control endpoint. */
public interface ControlPages {

    /**
     * Reports whether {@code /health} tells 503. Runs on the endpoint's event loop and must not
     * block.
     */
    boolean isDraining();

    /**
     * Serves a request for any page but {@code /health}. Runs on a virtual thread.
     *
     * @throws IllegalArgumentException with a mistake in the request, reported as 400
     */
    void serve(ControlExchange exchange);
}
