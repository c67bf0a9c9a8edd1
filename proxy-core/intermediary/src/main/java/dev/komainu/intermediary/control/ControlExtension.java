package dev.komainu.intermediary.control;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;

/**
 * Further pages of the control endpoint, from who knows what the proxy itself does not. Any thread.
 */
public interface ControlExtension {

    /**
     * Answers a request, when it is for one of these pages.
     *
     * @param page the path behind what leads here
     * @return false: it is not, and nothing was answered
     * @throws IllegalArgumentException naming a parameter, its value and what was expected
     */
    boolean serve(
            HttpExchange exchange, String page, QueryParameters query, ControlAuthorization authorization)
            throws IOException;

    /** Further lines of {@code GET /metrics}. */
    String metrics();
}
