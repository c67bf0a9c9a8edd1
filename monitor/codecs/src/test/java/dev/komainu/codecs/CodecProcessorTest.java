package dev.komainu.codecs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compile errors of records that do not fit their messages. */
class CodecProcessorTest {

    private static final String PROTO = """
            message Record {
              oneof kind {
                Visit visit = 1;
              }
            }
            enum Result {
              RESULT_UNSPECIFIED = 0;
              GOOD = 1;
              NOT_GOOD = 2 [(java_name) = "BAD"];
            }
            message Visit { // the only kind
              int64 at_micros = 1 [(required) = true];
              optional string name = 2;
              Result result = 3;
              repeated Step steps = 4;
            }
            message Step { double share = 1; }
            """;

    private static final String RECORDS = """
            package dev.komainu.telemetry.record;
            @interface Nullable {}
            interface TelemetryRecord {}
            record Visit(long atMicros, @Nullable String name, Result result, java.util.List<Step> steps)
                    implements TelemetryRecord {
                enum Result { GOOD, BAD }
                record Step(double share) {}
            }
            """;

    @TempDir
    Path output;

    /** Errors of the processor; the generated classes are not compiled. */
    private List<String> errors(String proto, String records) {
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> errors = new DiagnosticCollector<>();
        JavaFileObject source =
                new SimpleJavaFileObject(
                        URI.create("string:///Records.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return records.replace(
                                "@interface Nullable",
                                "@java.lang.annotation.Target("
                                        + "java.lang.annotation.ElementType.TYPE_USE) @interface Nullable");
                    }
                };
        JavaCompiler.CompilationTask task = javac.getTask(
                null,
                null,
                errors,
                List.of("-proc:only", "-d", output.toString()),
                null,
                List.of(source));
        task.setProcessors(List.of(new CodecProcessor(proto)));
        task.call();
        return errors.getDiagnostics().stream()
                .filter(one -> one.getKind() == Diagnostic.Kind.ERROR)
                .map(one -> one.getMessage(Locale.ROOT))
                .filter(text -> text.startsWith("telemetry.proto"))
                .toList();
    }

    @Test
    void process_recordsThatFit_generateAClassForEachForm() {
        assertThat(errors(PROTO, RECORDS)).isEmpty();
        assertThat(output.resolve("dev/komainu/telemetry/wire"))
                .isDirectoryContaining("glob:**VisitFields.java")
                .isDirectoryContaining("glob:**VisitJson.java")
                .isDirectoryContaining("glob:**StepFields.java")
                .isDirectoryContaining("glob:**KindFields.java");
    }

    /** The records with name and result of the visit in a group and in a group of the group. */
    private static final String GROUPED = RECORDS.replace(
                    "@Nullable String name, Result result,", "Facts facts,")
            .replace(
                    "enum",
                    "@FieldGroup record Facts(@Nullable String name, End end) {}\n"
                            + "    @FieldGroup record End(Result result) {}\n    enum")
            .replace("interface Tele", "@interface FieldGroup {}\ninterface Tele");

    /** The generated class without white space. */
    private String generated(String name) throws IOException {
        return Files.readString(output.resolve("dev/komainu/telemetry/wire/" + name + ".java"))
                .replaceAll("\\s", "");
    }

    @Test
    void process_groupAndGroupInIt_areFlatInBothForms() throws IOException {
        assertThat(errors(PROTO, GROUPED)).isEmpty();
        assertThat(generated("VisitFields"))
                .contains("out.textOrAbsent(2,it.facts().name());")
                .contains("out.int32(3,it.facts().end().result().ordinal()+1);")
                .contains("newVisit(atMicros,newVisit.Facts(name,newVisit.End("
                        + "EnumNumbers.of(Visit.Result.values(),result))),steps)");
        assertThat(generated("VisitJson"))
                .contains("out.text(\"name\",it.facts().name());")
                .contains("newVisit(in.int64(\"atMicros\"),newVisit.Facts("
                        + "in.textOrAbsent(\"name\"),newVisit.End(in.constant(\"result\",")
                .doesNotContain("\"facts\"");
    }

    @Test
    void process_nullableGroup_isAnError() {
        assertThat(errors(PROTO, GROUPED.replace("Facts facts", "@Nullable Facts facts")))
                .containsExactly("telemetry.proto: message Visit does not fit the record Visit"
                        + " (expected: a group facts that is not @Nullable)");
    }

    @Test
    void process_nameInTheRecordAndItsGroup_isAnError() {
        assertThat(errors(
                        PROTO,
                        GROUPED.replace("Facts facts", "@Nullable String name, Facts facts")))
                .containsExactly(
                        "telemetry.proto: message Visit does not fit the record Visit.Facts"
                                + " (expected: one component name)");
    }

    @Test
    void process_fieldWithoutComponent_namesBoth() {
        assertThat(errors(PROTO.replace("share = 1", "part = 1"), RECORDS))
                .containsExactly("telemetry.proto: Step.part does not fit the record Visit.Step"
                        + " (expected: a component part)");
    }

    @Test
    void process_componentWithoutField_namesBoth() {
        assertThat(errors(PROTO, RECORDS.replace("double share", "double share, long more")))
                .containsExactly("telemetry.proto: message Step does not fit the record Visit.Step"
                        + " (expected: no component more)");
    }

    @Test
    void process_otherType_namesBoth() {
        assertThat(errors(PROTO, RECORDS.replace("long atMicros", "int atMicros")))
                .containsExactly("telemetry.proto: Visit.at_micros does not fit the record Visit"
                        + " (expected: int64 instead of int)");
    }

    @Test
    void process_nullableComponentOfAFieldThatIsNotOptional_isAnError() {
        assertThat(errors(PROTO.replace("optional ", ""), RECORDS))
                .containsExactly("telemetry.proto: Visit.name does not fit the record Visit"
                        + " (expected: optional = @Nullable)");
    }

    @Test
    void process_otherConstants_namesThoseOfTheFile() {
        assertThat(errors(PROTO, RECORDS.replace("GOOD, BAD", "BAD, GOOD")))
                .containsExactly("telemetry.proto: Visit.result does not fit the record Visit"
                        + " (expected: an enum of [GOOD, BAD])");
    }

    @Test
    void process_repeatedNumber_isAnError() {
        assertThat(errors(PROTO.replace("name = 2", "name = 1"), RECORDS))
                .containsExactly("telemetry.proto: message Visit has number 1 twice");
    }

    @Test
    void process_textThatIsNoProto_namesLineAndExpectation() {
        assertThat(errors(PROTO.replace("share = 1", "share 1"), RECORDS))
                .containsExactly("telemetry.proto: line 17: 1 (expected: =)");
    }
}
