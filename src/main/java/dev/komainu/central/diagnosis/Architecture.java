package dev.komainu.central.diagnosis;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.LocalizedText;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The architecture of a server, by table 6.1 of the thesis: process × thread × session.
 *
 * <pre>
 *  type  processes  threads  sessions of a thread        type  processes  threads  sessions of a thread
 *  1     one        one      one                         5     many       one      one       (Apache prefork)
 *  2     one        one      many  (Squid)               6     many       one      many      (nginx)
 *  3     one        many     one                         7     many       many     one       (Apache worker)
 *  4     one        many     many  (Tomcat, HAProxy)     8     many       many     many      (Apache event)
 * </pre>
 *
 * @param type 1 to 8; absent when it could not be determined
 * @param servedBy unit that serves a request; absent when it could not be determined
 * @param confidence absent when the type could not be determined
 * @param reasons reasons for a lower confidence, or that settings and observation agree
 * @param evidence settings and measurements that it was derived from
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record Architecture(
        @Nullable Integer type,
        @Nullable Boolean manyProcesses,
        @Nullable Boolean manyThreads,
        @Nullable Boolean manySessions,
        @Nullable ServedBy servedBy,
        Decision.@Nullable Level confidence,
        List<LocalizedText> reasons,
        List<Evidence> evidence) {

    public Architecture {
        reasons = List.copyOf(reasons);
        evidence = List.copyOf(evidence);
    }

    /**
     * The unit that a request occupies while it is processed; each has other settings for tuning.
     */
    public enum ServedBy {
        /** A process or thread of its own; their number is limited. */
        WORKERS,
        /** A place in an event loop; the limits are connections, descriptors or one core. */
        LOOPS;

        @JsonValue
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Returns the type by table 6.1 of the thesis, 1 to 8. */
    static int type(boolean manyProcesses, boolean manyThreads, boolean manySessions) {
        return 1 + (manyProcesses ? 4 : 0) + (manyThreads ? 2 : 0) + (manySessions ? 1 : 0);
    }
}
