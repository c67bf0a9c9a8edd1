package dev.komainu;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Compares {@code docs/floor-plan.md} with the dependencies of all compiled packages. */
class FloorPlanTest {

    private static final String ALL = "dev.komainu.";
    private static final int LARGEST_RING = 5;
    private static final Pattern ROW = Pattern.compile("\\| `([a-z0-9.]+)` \\|(.*)\\|");
    private static final Pattern NAME = Pattern.compile("`([a-z0-9.]+)`");

    private static final Pattern MODULE_ROW =
            Pattern.compile("\\| `([a-z-]+/[a-z-]+|src)` \\|(.*)\\|");

    /** The package of each module with those of the modules it may depend on. */
    private static final Map<String, Set<String>> modulePlan = new LinkedHashMap<>();
    /** Each package with those it may use, from the ground up. */
    private static final Map<String, Set<String>> plan = new LinkedHashMap<>();
    /** Each package with those it uses, and which class of it uses which. */
    private static final Map<String, Map<String, String>> uses = new TreeMap<>();
    /**
     * Each package with its files, and each of these with those of the same package that it names.
     */
    private static final Map<String, Map<String, Set<String>>> files = new TreeMap<>();

    private static final Map<String, JavaClasses> modules = new LinkedHashMap<>();

    @BeforeAll
    static void read() throws IOException {
        for (String line : Files.readAllLines(Path.of("../docs/floor-plan.md"))) {
            Matcher module = MODULE_ROW.matcher(line);
            Matcher row = ROW.matcher(line);
            if (module.matches()) {
                modulePlan.put(
                        Modules.rootPackage(module.group(1)).substring(ALL.length()),
                        names(module.group(2)));
            } else if (row.matches()) {
                assertThat(plan.put(row.group(1), names(row.group(2))))
                        .as("second row of %s", row.group(1))
                        .isNull();
            }
        }
        modules.putAll(Modules.classes());
        modules.values().forEach(classes -> classes.forEach(FloorPlanTest::look));
    }

    private static Set<String> names(String cell) {
        return NAME.matcher(cell).results().map(name -> name.group(1)).collect(Collectors.toSet());
    }

    private static void look(JavaClass type) {
        String in = type.getPackageName().substring(ALL.length());
        String file = file(type);
        uses.computeIfAbsent(in, name -> new TreeMap<>());
        Set<String> named = files.computeIfAbsent(in, name -> new TreeMap<>())
                .computeIfAbsent(file, name -> new TreeSet<>());
        Set<String> permitted = permitted(type);
        for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
            JavaClass to = dependency.getTargetClass().getBaseComponentType();
            if (!to.getPackageName().startsWith(ALL)) {
                continue;
            }
            String there = to.getPackageName().substring(ALL.length());
            if (!there.equals(in)) {
                uses.get(in).putIfAbsent(there, file + " names " + file(to));
            } else if (!file.equals(file(to)) && !permitted.contains(to.getName())) {
                named.add(file(to));
            }
        }
    }

    private static String file(JavaClass type) {
        String name = type.getName().substring(type.getPackageName().length() + 1);
        return name.contains("$") ? name.substring(0, name.indexOf('$')) : name;
    }

    private static Set<String> permitted(JavaClass type) {
        try {
            Path compiled = Path.of(type.getSource().orElseThrow().getUri());
            return ClassFile.of()
                    .parse(compiled)
                    .findAttribute(Attributes.permittedSubclasses())
                    .stream()
                    .flatMap(all -> all.permittedSubclasses().stream())
                    .map(one -> one.asInternalName().replace('/', '.'))
                    .collect(Collectors.toSet());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void everyPackage_hasItsRow_andLiesInItsModule() {
        assertThat(plan.keySet()).containsExactlyInAnyOrderElementsOf(uses.keySet());
        modules.forEach((module, classes) -> assertThat(
                        classes.stream().map(JavaClass::getPackageName))
                .as("packages in %s", module)
                .allMatch(name -> name.equals(Modules.rootPackage(module))
                        || name.startsWith(Modules.rootPackage(module) + ".")));
    }

    @Test
    void everyPackage_usesWhatItsRowNames_andNothingElse() {
        List<String> wrong = new ArrayList<>();
        uses.forEach((name, used) -> {
            Set<String> may = plan.getOrDefault(name, Set.of());
            used.forEach((there, why) -> {
                if (!may.contains(there)) {
                    wrong.add(name + " uses " + there + ": " + why
                            + ". Its row does not allow that.");
                }
            });
            for (String allowed : may) {
                if (!used.containsKey(allowed)) {
                    wrong.add(name + ": its row names " + allowed + ", which it does not use.");
                }
            }
        });
        assertThat(wrong).isEmpty();
    }

    @Test
    void everyRow_namesOnlyPackagesFurtherUp() {
        List<String> before = new ArrayList<>();
        plan.forEach((name, may) -> {
            assertThat(before).as("rows above %s", name).containsAll(may);
            before.add(name);
        });
    }

    @Test
    void everyRow_staysWithinTheDependenciesOfItsModule() {
        plan.forEach((name, may) -> assertThat(may.stream()
                        .map(FloorPlanTest::root)
                        .filter(root -> !root.equals(root(name))))
                .as(name)
                .isSubsetOf(modulePlan.get(root(name))));
    }

    private static String root(String name) {
        return name.contains(".") ? name.substring(0, name.indexOf('.')) : name;
    }

    @Test
    void filesOfAPackage_formNoLargeRing() {
        files.forEach((name, each) -> assertThat(rings(each))
                .as("rings of files in %s", name)
                .allMatch(ring -> ring.size() <= LARGEST_RING));
    }

    /** Files that lead to each other: of each pair in a ring, each reaches the other. */
    private static List<Set<String>> rings(Map<String, Set<String>> named) {
        Map<String, Set<String>> reached = new TreeMap<>();
        named.keySet().forEach(file -> {
            Set<String> seen = new TreeSet<>();
            List<String> left = new ArrayList<>(named.get(file));
            while (!left.isEmpty()) {
                String next = left.removeLast();
                if (seen.add(next)) {
                    left.addAll(named.getOrDefault(next, Set.of()));
                }
            }
            reached.put(file, seen);
        });
        List<Set<String>> rings = new ArrayList<>();
        Set<String> placed = new TreeSet<>();
        reached.forEach((file, seen) -> {
            if (seen.contains(file) && placed.add(file)) {
                Set<String> ring = new TreeSet<>(Set.of(file));
                seen.stream().filter(other -> reached.get(other).contains(file)).forEach(ring::add);
                placed.addAll(ring);
                rings.add(ring);
            }
        });
        return rings;
    }
}
