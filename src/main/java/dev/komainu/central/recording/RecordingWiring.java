package dev.komainu.central.recording;

import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Objects;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** The configuration of the recorder, which exists only when its directory is set. */
@Configuration(proxyBeanMethods = false)
class RecordingWiring {

    @Bean
    @Conditional(DirectoryIsSet.class)
    TelemetryRecorder telemetryRecorder(
            RecordingSettings settings, MeterRegistry registry, Clock clock) {
        Path directory = Objects.requireNonNull(settings.directory());
        return new TelemetryRecorder(directory, settings.size().toBytes(), registry, clock);
    }

    /** The condition that the setting is given. */
    static final class DirectoryIsSet implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return context.getEnvironment().containsProperty(RecordingSettings.KEY);
        }
    }
}
