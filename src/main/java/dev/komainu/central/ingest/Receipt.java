package dev.komainu.central.ingest;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;

/**
 * The answer to a batch that is stored.
 *
 * @param batch its name: {@code source/epoch/sequence}
 * @param records how many of its records this version understands
 * @param duplicate it was stored before; nothing changed
 * @param orders signed orders for this source, none as a rule
 * @param judged states of servers that an organizer named, by address
 */
record Receipt(
        String batch,
        int records,
        boolean duplicate,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> orders,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) Map<String, String> judged) {}
