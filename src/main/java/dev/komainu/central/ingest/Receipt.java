package dev.komainu.central.ingest;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * The answer to a batch that is stored.
 *
 * @param batch its name: {@code source/epoch/sequence}
 * @param records how many of its records this version understands
 * @param duplicate it was stored before; nothing changed
 * @param orders signed orders for this source, none as a rule
 */
record Receipt(
        String batch,
        int records,
        boolean duplicate,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> orders) {}
