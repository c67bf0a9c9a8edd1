package dev.komainu.central.advice;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.indices.LocalizedText;

/**
 * What used to be advised at a leaf, is no longer, and why. Told, so that nobody does it because
 * the thesis or an old page says so.
 *
 * @param node the leaf of the flowchart it hangs on
 * @param reference where both are written: the old advice and what ended it
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record WithdrawnAdvice(
        String id, String node, LocalizedText title, LocalizedText why, String reference) {}
