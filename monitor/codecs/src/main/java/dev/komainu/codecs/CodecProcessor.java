package dev.komainu.codecs;

import dev.komainu.codecs.Binding.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.RoundEnvironment;
import javax.annotation.processing.SupportedAnnotationTypes;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import javax.tools.Diagnostic;

/**
 * Generates the record codecs when javac compiles the records.
 *
 * <pre>
 *  telemetry.proto ──► ProtoFile ──┐
 *                                  ├──► Bindings ──► FieldsSource, JsonSource, KindSource
 *  records (javax.lang.model) ─────┘
 * </pre>
 */
@SupportedAnnotationTypes("*")
public final class CodecProcessor extends AbstractProcessor {

    private static final String CODECS = "dev.komainu.telemetry.wire";

    private final String proto;

    /** The processor of javac. */
    public CodecProcessor() throws IOException {
        this(resource());
    }

    CodecProcessor(String proto) {
        this.proto = proto;
    }

    @Override
    public SourceVersion getSupportedSourceVersion() {
        return SourceVersion.latestSupported();
    }

    @Override
    public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
        for (Element root : round.getRootElements()) {
            if (root instanceof TypeElement type
                    && type.getQualifiedName()
                            .contentEquals(Bindings.RECORDS + "TelemetryRecord")) {
                try {
                    generate(ProtoFile.parse(proto), type);
                } catch (IllegalArgumentException e) {
                    processingEnv
                            .getMessager()
                            .printMessage(
                                    Diagnostic.Kind.ERROR, "telemetry.proto: " + e.getMessage());
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
        return false;
    }

    private static String resource() throws IOException {
        try (InputStream in = Objects.requireNonNull(
                CodecProcessor.class.getResourceAsStream("telemetry.proto"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private void generate(ProtoFile proto, TypeElement origin) throws IOException {
        Map<String, Binding> all = Bindings.of(proto, processingEnv.getElementUtils());
        // Messages that a record always has, but a writer may leave out.
        Set<String> absent = all.values().stream()
                .flatMap(binding -> binding.parts().stream())
                .filter(part ->
                        part.kind() == Kind.MESSAGE && part.field().label().isEmpty())
                .map(part -> part.field().type())
                .collect(Collectors.toSet());
        for (Binding binding : all.values()) {
            String name = binding.message();
            write(name + "Fields", FieldsSource.of(binding, absent.contains(name)), origin);
            if (JsonSource.isObject(binding, proto, all)) {
                write(name + "Json", JsonSource.of(binding, proto, all), origin);
            }
        }
        KindSource kinds = new KindSource(proto.kinds(), all);
        write("KindFields", kinds.fields(), origin);
        write("KindJson", kinds.json(), origin);
    }

    private void write(String name, String type, Element origin) throws IOException {
        try (Writer out = processingEnv
                .getFiler()
                .createSourceFile(CODECS + "." + name, origin)
                .openWriter()) {
            out.write(String.format(
                    Locale.ROOT, """
                    package %s;

                    import %s*;
                    import java.io.IOException;
                    import java.util.List;
import java.util.Locale;
                    import javax.annotation.processing.Generated;
                    import org.jspecify.annotations.Nullable;

                    @Generated("%s")
                    """, CODECS, Bindings.RECORDS, CodecProcessor.class.getName()));
            out.write(type);
        }
    }
}
