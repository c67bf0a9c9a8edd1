package dev.komainu.central.backup;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/** The migrations of H2 on the class path, by their versions. A name is {@code V1__access.sql}. */
public final class H2Migrations {

    /** Migrations that every database has which a backup may come from. */
    private static final String BASE = "classpath*:db/h2/V*__*.sql";

    private static final String LATER = "classpath*:db/migration/V*__*.sql";

    private H2Migrations() {}

    /**
     * Returns the migrations that make the first tables. Another engine has one migration in their
     * place, so they are not named one by one in a backup.
     */
    static Map<String, Resource> base() throws IOException {
        return read(BASE);
    }

    /** Returns all migrations that this version knows. */
    public static Map<String, Resource> all() throws IOException {
        Map<String, Resource> all = base();
        all.putAll(read(LATER));
        return all;
    }

    private static Map<String, Resource> read(String pattern) throws IOException {
        Map<String, Resource> found = new HashMap<>();
        for (Resource migration : new PathMatchingResourcePatternResolver().getResources(pattern)) {
            String name = Objects.requireNonNull(migration.getFilename());
            found.put(name.substring(1, name.indexOf("__")), migration);
        }
        return found;
    }
}
