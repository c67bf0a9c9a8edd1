package dev.komainu.central.api.page;

import dev.komainu.central.api.problem.BodyChecks;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The parameter {@code fields} of a list: the members of each item that the caller wants. */
public final class Members {

    private final JsonMapper mapper;
    private final Set<String> wanted;

    private Members(JsonMapper mapper, Set<String> wanted) {
        this.mapper = mapper;
        this.wanted = wanted;
    }

    /**
     * Reads the parameter.
     *
     * @param fields names of members; absent or empty: all members
     * @param type type of the items, a record
     * @throws dev.komainu.central.api.problem.ProblemException 400 with the position of each name
     *     that is no member
     */
    public static Members of(
            @Nullable List<String> fields, Class<? extends Record> type, JsonMapper mapper) {
        List<String> known = new ArrayList<>();
        for (var component : type.getRecordComponents()) {
            known.add(component.getName());
        }
        Set<String> wanted = new LinkedHashSet<>(checked("fields", fields, known));
        return new Members(mapper, wanted);
    }

    /**
     * Returns a list parameter whose values must be among known ones.
     *
     * @throws dev.komainu.central.api.problem.ProblemException 400 with the position of each other
     *     value
     */
    public static List<String> checked(
            String name, @Nullable List<String> values, Collection<String> known) {
        if (values == null) {
            return List.of();
        }
        BodyChecks checks = new BodyChecks();
        for (int i = 0; i < values.size(); i++) {
            checks.that(
                    known.contains(values.get(i)),
                    name + "[" + i + "]",
                    values.get(i),
                    "one of " + String.join(", ", known));
        }
        checks.orRefuse();
        return values;
    }

    /** Reports whether all members are wanted. */
    public boolean all() {
        return wanted.isEmpty();
    }

    /** Returns an item, or a copy of it that has only the wanted members. */
    public Object of(Record item) {
        if (all()) {
            return item;
        }
        ObjectNode tree = mapper.valueToTree(item);
        tree.retain(wanted);
        return tree;
    }
}
