package dev.komainu.central.caches;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A purge order for a proxy: exactly one of the first four is set.
 *
 * @param url one URL with its variants
 * @param prefix every URL that begins with it
 * @param tags responses with any of these tags
 * @param all all responses
 * @param soft responses are not deleted, but stale from now on
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

    /** Returns the subject of the order in one line. */
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
