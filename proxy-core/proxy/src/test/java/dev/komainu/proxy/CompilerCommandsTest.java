package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The switches for the compiler, which name classes and methods; the JVM says nothing of names that
 * do not exist.
 */
class CompilerCommandsTest {

    private static final String COMMAND = "-XX:CompileCommand=dontinline,";
    private static final String CLASS = ".class";

    @Test
    void dontInline_eachCommand_namesMethods() throws IOException {
        List<String> patterns = Files.readAllLines(Path.of("../jvm.options")).stream()
                .filter(line -> line.startsWith(COMMAND))
                .map(line -> line.substring(COMMAND.length()))
                .toList();
        List<String> classes = Stream.concat(
                        classes(Path.of("target/classes")),
                        classes(Path.of("../intermediary/target/classes")))
                .toList();
        assertThat(patterns).isNotEmpty().allMatch(pattern -> exists(pattern, classes));
    }

    private static Stream<String> classes(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files
                    .map(file -> directory.relativize(file).toString())
                    .filter(name -> name.endsWith(CLASS))
                    .map(name ->
                            name.substring(0, name.length() - CLASS.length()).replace('/', '.'))
                    .toList()
                    .stream();
        }
    }

    private static boolean exists(String pattern, List<String> classes) {
        String[] parts = pattern.split("::");
        String expression = parts[0].replace(".", "\\.").replace("*", "[^.]*");
        return classes.stream()
                .filter(name -> name.matches(expression))
                .anyMatch(name -> parts[1].equals("*") || hasMethod(name, parts[1]));
    }

    private static boolean hasMethod(String name, String method) {
        try {
            return Arrays.stream(Class.forName(name).getDeclaredMethods())
                    .anyMatch(declared -> declared.getName().equals(method));
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}
