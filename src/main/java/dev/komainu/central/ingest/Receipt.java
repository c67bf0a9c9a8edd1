package dev.komainu.central.ingest;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The response to a batch that is stored.
 *
 * @param batch its name: {@code source/epoch/sequence}
 * @param records number of its records that this version understands
 * @param refused number of its records that were left out because a quota is reached
 * @param duplicate whether it was stored earlier; then nothing changed
 * @param orders signed orders for this source, usually none
 * @param judged states of servers that an organizer named, by address
 * @param detailed services that are requested by connection, by the source's own names
 * @param revoked parts that an organizer must not accept as members any more, by id
 */
record Receipt(
        String batch,
        int records,
        @JsonInclude(JsonInclude.Include.NON_DEFAULT) int refused,
        boolean duplicate,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> orders,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) Map<String, String> judged,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) Set<String> detailed,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> revoked) {}
