package dev.komainu.central.advice;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.indices.LocalizedText;

/**
 * Advice that was once given at a leaf and is withdrawn, with the reason. It is shown, so that
 * readers of the thesis or of an old page do not apply it.
 *
 * @param node the leaf of the flowchart it hangs on
 * @param reference where both are written: the old advice and what ended it
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record WithdrawnAdvice(
        String id, String node, LocalizedText title, LocalizedText why, String reference) {}
