package dev.komainu.central.caches;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A purge order for a proxy: exactly one of the first four is set.
 *
 * @param url one URL with its variants
 * @param prefix every URL that begins so
 * @param tags what carries any of them
 * @param all everything
 * @param soft nothing is dropped, but all of it is stale from now on
 * @param dryRun only count
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record CachePurge(
        @Nullable String url,
        @Nullable String prefix,
        @Nullable List<String> tags,
        @Nullable Boolean all,
        boolean soft,
        boolean dryRun) {

    /** What it names, in one line. */
    public String subject() {
        if (url != null) {
            return "url " + url;
        }
        if (prefix != null) {
            return "prefix " + prefix;
        }
        return tags != null ? "tags " + String.join(" ", tags) : "all";
    }
}
