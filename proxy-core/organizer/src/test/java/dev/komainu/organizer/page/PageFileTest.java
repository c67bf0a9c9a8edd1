package dev.komainu.organizer.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageFileTest {

    private static final PageRequestHint TAKES = PageRequestHint.NOTHING;

    @TempDir
    Path directory;

    private final SetClock clock = new SetClock();
    private final PageCounts counts = new PageCounts();
    private Path path = Path.of("");

    @BeforeEach
    void setUp() {
        path = directory.resolve("state").resolve("pages");
    }

    private PageLearner book() {
        return new PageLearner(PageSettings.DEFAULT, clock::steadyMillis);
    }

    private PageFile file() {
        return new PageFile(path, counts);
    }

    private void learn(PageLearner book, String page, String... objects) {
        for (int i = 0; i < 2; i++) {
            book.loaded(page, null);
            for (String object : objects) {
                book.followed(page, object, 100);
            }
        }
    }

    private PageLearner read() {
        PageLearner book = book();
        file().read(book);
        return book;
    }

    private long damaged() {
        return counts.of(PageCounts.Kind.FILE_DAMAGED);
    }

    @Test
    void read_afterWrite_pushesAtTheFirstLoadWhatFollowedBefore() throws IOException {
        PageLearner before = book();
        learn(before, "h/page?ä=1", "h/a", "h/b");
        learn(before, "h/other", "h/c");
        file().write(before);
        PageLearner after = read();
        assertThat(after.figures()).isEqualTo(before.figures());
        assertThat(after.learnt()).isEqualTo(before.learnt());
        assertThat(after.isLoading("h/page?ä=1")).as("no client loads it now").isFalse();
        assertThat(after.loaded("h/page?ä=1", TAKES))
                .extracting(PageLearner.PushCandidate::url)
                .containsExactly("h/a", "h/b");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo("rw-------");
        assertThat(damaged()).isZero();
    }

    @Test
    void read_beyondWhatIsKnown_keepsTheNewer_andItsPlace() {
        PageLearner before = book();
        learn(before, "h/page", "h/old");
        learn(before, "h/other", "h/c");
        file().write(before);
        PageLearner after = book();
        learn(after, "h/page", "h/new");
        file().read(after);
        assertThat(after.learnt()).extracting(LearntPage::url).containsExactly("h/other", "h/page");
        assertThat(after.loaded("h/page", TAKES))
                .extracting(PageLearner.PushCandidate::url)
                .containsExactly("h/new");
        assertThat(after.figures().objects()).isEqualTo(2);
    }

    @Test
    void read_noFile_isNoDamage() {
        assertThat(read().figures().pages()).isZero();
        assertThat(damaged()).isZero();
    }

    @Test
    void read_truncatedAnywhere_orWithAnyByteChanged_isIgnored_andCounted() throws IOException {
        PageLearner before = book();
        learn(before, "h/page", "h/a");
        file().write(before);
        byte[] whole = Files.readAllBytes(path);
        for (int length = 0; length < whole.length; length++) {
            Files.write(path, Arrays.copyOf(whole, length));
            assertThat(read().figures().pages()).as("%d bytes", length).isZero();
        }
        for (int at = 0; at < whole.length; at++) {
            byte[] changed = whole.clone();
            changed[at] ^= 4;
            Files.write(path, changed);
            assertThat(read().figures().pages()).as("byte %d", at).isZero();
        }
        assertThat(damaged()).isEqualTo(2L * whole.length);
        Files.write(path, new byte[(16 << 20) + 1]);
        assertThat(read().figures().pages()).isZero();
    }

    @Test
    void write_overDamage_isWholeAgain() throws IOException {
        Files.createDirectories(path.getParent());
        Files.writeString(path, "nonsense");
        PageFile file = file();
        PageLearner book = book();
        file.read(book);
        learn(book, "h/page", "h/a");
        file.write(book);
        assertThat(read().figures().pages()).isOne();
        assertThat(damaged()).isOne();
    }

    @Test
    void write_nothingNew_leavesTheFile() throws IOException {
        PageFile file = file();
        PageLearner book = book();
        file.write(book);
        assertThat(path).doesNotExist();
        learn(book, "h/page", "h/a");
        file.write(book);
        Files.delete(path);
        file.write(book);
        assertThat(path).doesNotExist();
        learn(book, "h/page", "h/a");
        file.write(book);
        assertThat(path).exists();
    }

    @Test
    void write_whereItCannot_isCountedEachTime() throws IOException {
        Files.writeString(directory.resolve("state"), "a file, no directory");
        PageLearner book = book();
        learn(book, "h/page", "h/a");
        PageFile file = file();
        file.write(book);
        file.write(book);
        assertThat(counts.of(PageCounts.Kind.FILE_UNWRITTEN)).isEqualTo(2);
    }

    @Test
    void recall_moreThanFits_keepsWhatWasLoadedLast() {
        PageLearner book = book();
        List<LearntPage> many = IntStream.range(0, 10_000)
                .mapToObj(i -> new LearntPage("h/" + "x".repeat(900) + i, 1, List.of()))
                .toList();
        book.restore(many);
        assertThat(book.figures().heapBytes()).isLessThanOrEqualTo(PageLearner.MAX_HEAP);
        assertThat(book.learnt().getLast()).isEqualTo(many.getLast());
    }
}
