package dev.komainu.central.advice;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.indices.LocalizedText;

/**
 * Advice that was given at a leaf in the past and is withdrawn, with the reason. It is shown so
 * that readers of the thesis or of an old page do not apply it.
 *
 * @param node the leaf of the flowchart it belongs to
 * @param reference sources of the old advice and of the reason against it
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record WithdrawnAdvice(
        String id, String node, LocalizedText title, LocalizedText why, String reference) {}
