package dev.komainu.seed;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import net.jqwik.api.lifecycle.AroundPropertyHook;
import net.jqwik.api.lifecycle.PropagationMode;
import net.jqwik.api.lifecycle.PropertyExecutionResult;
import net.jqwik.api.lifecycle.PropertyExecutionResult.Status;
import net.jqwik.api.lifecycle.PropertyExecutor;
import net.jqwik.api.lifecycle.PropertyLifecycleContext;

/**
 * A hook that stores the seeds of failed properties, one file each in the directory
 * {@code failed.seeds}. jqwik's own database belongs to one test JVM; all test JVMs of a module
 * read these files, so a failed property runs with the same inputs in any of them until it passes.
 * {@code -Dproperty.seed=N} sets the seed by hand. A failure prints the command that repeats it.
 */
public final class FailedSeeds implements AroundPropertyHook {

    @Override
    public PropertyExecutionResult aroundProperty(
            PropertyLifecycleContext context, PropertyExecutor property) throws IOException {
        Path file = directory().resolve(nameOf(context));
        seedByHand().or(() -> read(file)).ifPresent(context.attributes()::setSeed);
        PropertyExecutionResult result = property.execute();
        if (result.status() == Status.SUCCESSFUL) {
            Files.deleteIfExists(file);
        } else if (result.status() == Status.FAILED && result.seed().isPresent()) {
            Files.createDirectories(file.getParent());
            Files.writeString(file, result.seed().get());
            System.out.printf(
                    "%nAgain: ./komainu test -pl %s -am -Dtest='%s#%s' -Dproperty.seed=%s%n",
                    module(),
                    outermost(context),
                    context.targetMethod().getName(),
                    result.seed().get());
        }
        return result;
    }

    /**
     * Runs the tests' own hooks inside this one, so that their exceptions count as failures of the
     * property.
     */
    @Override
    public int aroundPropertyProximity() {
        return -100;
    }

    /** Applies the hook to every property of the engine. */
    @Override
    public PropagationMode propagateTo() {
        return PropagationMode.ALL_DESCENDANTS;
    }

    private static Optional<String> seedByHand() {
        return Optional.ofNullable(System.getProperty("property.seed"));
    }

    private static Optional<String> read(Path file) {
        try {
            return Files.exists(file)
                    ? Optional.of(Files.readString(file).strip())
                    : Optional.empty();
        } catch (IOException e) {
            // Another test JVM may have deleted it meanwhile.
            return Optional.empty();
        }
    }

    private static Path directory() {
        return Path.of(System.getProperty("failed.seeds", "target/failed-seeds"));
    }

    private static String nameOf(PropertyLifecycleContext context) {
        return context.containerClass().getName() + "." + context.targetMethod().getName();
    }

    private static String outermost(PropertyLifecycleContext context) {
        Class<?> type = context.containerClass();
        while (type.getEnclosingClass() != null) {
            type = type.getEnclosingClass();
        }
        return type.getSimpleName();
    }

    /** Returns the module's directory, relative to that of the launcher. */
    private static Path module() {
        Path here = Path.of("").toAbsolutePath();
        for (Path top = here.getParent(); top != null; top = top.getParent()) {
            if (Files.exists(top.resolve("komainu"))) {
                return top.relativize(here);
            }
        }
        return here;
    }
}
