package dev.komainu.central.indices;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * The definition of one index in the catalogue.
 *
 * @param name stable name, used by rules, flowchart, advice and the API
 * @param unit {@code 1/s}, {@code ms}, {@code B}, {@code B/s}, {@code share} (0 to 1),
 *     {@code ratio}, {@code count}, {@code cores}, {@code percent}
 * @param source source of its values
 * @param title short name for people
 * @param definition one or two sentences
 * @param paper section of the thesis, or RFC, if there is one
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record IndexDefinition(
        String name,
        String unit,
        IndexSource source,
        LocalizedText title,
        LocalizedText definition,
        @Nullable String paper) {}
