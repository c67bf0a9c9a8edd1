package dev.komainu.central.advice;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.indices.LocalizedText;
import org.jspecify.annotations.Nullable;

/**
 * An action that no setting of the server carries out, with figures filled in: a cable, a bigger
 * system, lighter content.
 *
 * @param node the leaf of the flowchart it belongs to
 * @param measured how its effect is measured
 * @param command a command that shows what to look at; absent when there is none
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record Instruction(
        String id,
        String node,
        LocalizedText title,
        LocalizedText text,
        LocalizedText measured,
        @Nullable String command,
        String reference) {}
