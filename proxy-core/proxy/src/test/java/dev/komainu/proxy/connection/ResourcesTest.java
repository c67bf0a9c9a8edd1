package dev.komainu.proxy.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each resource as it is read on this machine, from files as kernels write them, and where there
 * are none.
 */
class ResourcesTest {

    private static final Path NOWHERE = Path.of("/proc/self/no-such-file");

    @Nested
    class OfDescriptors extends LimitedResourceContract {
        @Override
        LimitedResource real() {
            return new Descriptors(() -> 0);
        }

        @Override
        LimitedResource unreported() {
            return new Descriptors(NOWHERE, NOWHERE, () -> 0);
        }

        @Test
        void read_countsWhatIsOpenedAndClosed() throws IOException {
            LimitedResource descriptors = real();
            if (Files.notExists(Path.of("/proc/self/fd"))) {
                return;
            }
            assertThat(descriptors.read().limit()).isPositive();
            long before = descriptors.read().used();
            assertThat(before).isPositive();
            assertThat(Files.size(Path.of("/proc/self/fd")))
                    .as("told without a walk, or not at all")
                    .isNotNegative();
        }

        @Test
        void read_whereTheCountIsNotReported_countsFromTimeToTime(@TempDir Path directory)
                throws IOException {
            Path limits = Files.writeString(
                    directory.resolve("limits"),
                    "Limit                     Soft Limit           Hard Limit           Units\n"
                            + "Max open files            1024                 4096                 files\n");
            AtomicLong own = new AtomicLong(2);
            // A directory of a real file system has a size that is none of a count: /proc/self/task
            // has none, as fd had.
            Descriptors old = new Descriptors(Path.of("/proc/self/fdinfo"), limits, own::get);
            if (Files.notExists(Path.of("/proc/self/fdinfo"))
                    || Files.size(Path.of("/proc/self/fdinfo")) > 0) {
                return;
            }
            long first = old.read().used();
            assertThat(first).isPositive();
            own.set(12);
            assertThat(old.read()).isEqualTo(new ResourceUse(first + 10, 1024));
        }
    }

    @Nested
    class OfSocketMemory extends LimitedResourceContract {
        @Override
        LimitedResource real() {
            return new SocketMemory();
        }

        @Override
        LimitedResource unreported() {
            return new SocketMemory(NOWHERE, NOWHERE);
        }

        @Test
        void read_isTcpsPagesAgainstThePressureMark(@TempDir Path directory) throws IOException {
            Path sockets = Files.writeString(
                    directory.resolve("sockstat"),
                    "sockets: used 301\nTCP: inuse 27 orphan 0 tw 11 alloc 30 mem 312\nUDP: inuse 3 mem 1\n");
            Path marks = Files.writeString(directory.resolve("tcp_mem"), "90783\t121045\t181566\n");
            assertThat(new SocketMemory(sockets, marks).read())
                    .isEqualTo(new ResourceUse(312, 121_045));
            Files.writeString(marks, "90783\n");
            assertThat(new SocketMemory(sockets, marks).read()).isEqualTo(ResourceUse.UNKNOWN);
        }
    }

    @Nested
    class OfOriginPorts extends LimitedResourceContract {
        @Override
        LimitedResource real() {
            return new OriginPorts(() -> 7);
        }

        @Override
        LimitedResource unreported() {
            return new OriginPorts(NOWHERE, () -> 7);
        }

        @Test
        void read_isTheBusiestOriginsAgainstTheRange(@TempDir Path directory) throws IOException {
            Path range = Files.writeString(directory.resolve("range"), "32768\t60999\n");
            assertThat(new OriginPorts(range, () -> 7).read())
                    .isEqualTo(new ResourceUse(7, 28_232));
        }
    }

    @Nested
    class OfBufferMemory extends LimitedResourceContract {
        @Override
        LimitedResource real() {
            return new BufferMemory(() -> 5, 10);
        }

        @Override
        LimitedResource unreported() {
            return new BufferMemory(() -> 0, 0);
        }
    }

    @Nested
    class OfClientPlaces extends LimitedResourceContract {
        @Override
        LimitedResource real() {
            return new ClientConnectionUse(new ClientCounts(ConnectionSettings.DEFAULT));
        }

        @Override
        LimitedResource unreported() {
            return real();
        }
    }
}
