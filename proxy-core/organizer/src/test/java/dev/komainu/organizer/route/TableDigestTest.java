package dev.komainu.organizer.route;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * Equal digests mean equal tables, for members and tests. The fields are found by reflection: a
 * field added to an announcement later is covered at once.
 */
class TableDigestTest {

    /**
     * A change of one field.
     *
     * @param field its path, such as {@code routes.prefix.host}
     */
    private record Change(String field, Object value) {}

    /** The line repeats the name of its member; the two cannot differ. */
    private static final String REPEATED = "line.member.text";

    @Property(tries = 100)
    void digest_anyFieldOfAnyMemberChanged_differs(@ForAll("tables") List<Announcement> table) {
        String digest = ClusterRouteTable.of(table).digest();
        assertThat(digest).matches("[0-9a-f]{32}");
        for (int i = 0; i < table.size(); i++) {
            Set<String> changed = new TreeSet<>();
            for (Change change : changes("", table.get(i))) {
                List<Announcement> other = new ArrayList<>(table);
                other.set(i, (Announcement) change.value);
                assertThat(ClusterRouteTable.of(other).digest())
                        .as("%s of %s, before: %s", change.field, change.value, table.get(i))
                        .isNotEqualTo(digest);
                changed.add(change.field);
            }
            assertThat(changed).isEqualTo(fields("", Announcement.class, new TreeSet<>()));
        }
    }

    @Property(tries = 500)
    void digest_twoTables_equalOnlyIfTheTablesAre(
            @ForAll("tables") List<Announcement> one, @ForAll("tables") List<Announcement> other) {
        ClusterRouteTable first = ClusterRouteTable.of(one);
        ClusterRouteTable second = ClusterRouteTable.of(other);
        assertThat(first.digest().equals(second.digest()))
                .isEqualTo(first.announcements().equals(second.announcements()));
    }

    /** Returns every leaf below a record, and each list itself. */
    private static Set<String> fields(String path, Class<?> type, Set<String> into) {
        for (RecordComponent component : type.getRecordComponents()) {
            String at = path + component.getName();
            Class<?> inner = component.getType();
            if (inner == List.class) {
                into.add(at);
                inner = (Class<?>) ((ParameterizedType) component.getGenericType())
                        .getActualTypeArguments()[0];
            }
            if (inner.isRecord()) {
                fields(at + ".", inner, into);
            } else if (!at.equals(REPEATED)) {
                into.add(at);
            }
        }
        return into;
    }

    /** Returns the record with one field changed, for every field below it. */
    private static List<Change> changes(String path, Record record) {
        RecordComponent[] components = record.getClass().getRecordComponents();
        List<Change> changes = new ArrayList<>();
        for (int i = 0; i < components.length; i++) {
            for (Change inner :
                    changesOf(path + components[i].getName(), read(record, components[i]))) {
                if (!inner.field.equals(REPEATED)) {
                    made(record, components, i, inner.value)
                            .forEach(made -> changes.add(new Change(inner.field, made)));
                }
            }
        }
        return changes;
    }

    private static List<Change> changesOf(String path, Object value) {
        return switch (value) {
            case Record record -> changes(path + ".", record);
            case List<?> list -> listChanges(path, list);
            case Boolean flag -> List.of(new Change(path, !flag));
            case Integer number ->
                List.of(new Change(path, number + 1), new Change(path, number - 1));
            case Long number -> List.of(new Change(path, number + 1), new Change(path, number - 1));
            case String text ->
                List.of(
                        new Change(path, text + "x"),
                        new Change(path, text.equals("x") ? "y" : "x"));
            default ->
                throw new AssertionError(path + ": no change is known for " + value.getClass());
        };
    }

    private static List<Change> listChanges(String path, List<?> list) {
        List<Change> changes = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
            List<Object> fewer = new ArrayList<>(list);
            fewer.remove(i);
            changes.add(new Change(path, fewer));
            for (Change inner : changesOf(path, list.get(i))) {
                List<Object> other = new ArrayList<>(list);
                other.set(i, inner.value);
                changes.add(new Change(inner.field, other));
            }
        }
        return changes;
    }

    /**
     * Returns the record with one component replaced; empty when its own rules refuse the value.
     */
    private static List<Object> made(
            Record record, RecordComponent[] components, int which, Object value) {
        Object[] values = Arrays.stream(components)
                .map(component -> read(record, component))
                .toArray();
        values[which] = value;
        if (record instanceof Announcement announcement && value instanceof MemberId member) {
            LineEndpoint line = announcement.line();
            values[
                            Arrays.stream(components)
                                    .map(RecordComponent::getName)
                                    .toList()
                                    .indexOf("line")] =
                    new LineEndpoint(line.host(), line.port(), member);
        }
        try {
            Constructor<?> constructor = record.getClass()
                    .getDeclaredConstructor(Arrays.stream(components)
                            .map(RecordComponent::getType)
                            .toArray(Class<?>[]::new));
            return List.of(constructor.newInstance(values));
        } catch (InvocationTargetException refused) {
            assertThat(refused.getCause()).isInstanceOf(IllegalArgumentException.class);
            return List.of();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static Object read(Record record, RecordComponent component) {
        try {
            return component.getAccessor().invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** Tables of few and short values, so that two of them are often nearly equal. */
    @Provide
    Arbitrary<List<Announcement>> tables() {
        Arbitrary<ServedRoute> route = Combinators.combine(
                        Arbitraries.of("a", "*", "a:8080"),
                        Arbitraries.of("/", "/b", "/b/c"),
                        Arbitraries.integers().between(0, 2),
                        Arbitraries.integers().between(1, 2),
                        Arbitraries.of(true, false),
                        Arbitraries.of("", "c", "d"))
                .as((host, path, weight, capacity, cache, content) -> new ServedRoute(
                        new UrlPrefix(host, path), weight, capacity, cache, content));
        Arbitrary<Announcement> announcement = Combinators.combine(
                        Arbitraries.of("m", "n", "o"),
                        Arbitraries.longs().between(1, 2),
                        Arbitraries.longs().between(1, 2),
                        Arbitraries.of("h", "i"),
                        Arbitraries.integers().between(1, 2),
                        Arbitraries.of(true, false),
                        route.list().ofMinSize(1).ofMaxSize(3))
                .as((member, incarnation, version, host, port, draining, routes) -> {
                    MemberId id = new MemberId(member);
                    Map<UrlPrefix, ServedRoute> once = new LinkedHashMap<>();
                    routes.forEach(one -> once.putIfAbsent(one.prefix(), one));
                    return new Announcement(
                            id,
                            incarnation,
                            version,
                            new LineEndpoint(host, port, id),
                            draining,
                            List.copyOf(once.values()));
                });
        return announcement.list().ofMinSize(1).ofMaxSize(3).map(all -> {
            Set<MemberId> seen = new LinkedHashSet<>();
            return all.stream().filter(one -> seen.add(one.member())).toList();
        });
    }
}
