package dev.komainu.central.caches;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The stored responses of one URL, as the proxy reports them. A list that the proxy leaves out is
 * empty here.
 */
public record StoredObject(
        String url, List<String> vary, boolean truncated, List<Variant> variants) {

    @SuppressWarnings("ConstantValue") // the proxy's JSON may lack them
    public StoredObject {
        vary = vary == null ? List.of() : vary;
        variants = variants == null ? List.of() : variants;
    }

    /**
     * One stored response.
     *
     * @param selectedBy request fields and values that select it
     * @param weightBytes its size in the cache's accounting
     * @param freshSeconds negative once stale
     * @param state "fresh", "stale" or "validate"
     * @param head names and values; secrets are not among them
     */
    public record Variant(
            int status,
            Map<String, @Nullable String> selectedBy,
            long bodyBytes,
            long weightBytes,
            long hits,
            long ageSeconds,
            long freshSeconds,
            String state,
            long storedMicros,
            @Nullable String etag,
            @Nullable String lastModified,
            List<String> tags,
            List<String> groups,
            List<List<String>> head) {

        @SuppressWarnings("ConstantValue") // the proxy's JSON may lack them
        public Variant {
            selectedBy = selectedBy == null ? Map.of() : selectedBy;
            tags = tags == null ? List.of() : tags;
            groups = groups == null ? List.of() : groups;
            head = head == null ? List.of() : head;
        }
    }
}
