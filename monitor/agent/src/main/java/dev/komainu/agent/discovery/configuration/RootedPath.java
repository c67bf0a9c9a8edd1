package dev.komainu.agent.discovery.configuration;

import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A path resolver below another root, with the view of a process there: an absolute link inside a
 * container leads to the container's own file, never to the host's. Pure except for the links it
 * reads.
 */
public final class RootedPath {

    private static final int MAX_LINKS = 40;
    private static final Path HOST = Path.of("/");

    private final Path root;

    /**
     * Creates a resolver.
     *
     * @param root the root directory of the process, as the agent sees it
     */
    public RootedPath(Path root) {
        this.root = root;
    }

    boolean isHost() {
        return root.equals(HOST);
    }

    /**
     * Resolves a path.
     *
     * @throws IOException when links form a loop
     */
    Path resolve(String path) throws IOException {
        if (isHost()) {
            return Path.of(path.startsWith("/") ? path : "/" + path);
        }
        Deque<String> open = new ArrayDeque<>();
        push(open, path);
        Path at = root;
        int links = 0;
        while (!open.isEmpty()) {
            String name = open.pop();
            if (name.equals("..")) {
                Path parent = at.getParent();
                at = at.equals(root) || parent == null ? root : parent;
                continue;
            }
            Path next = at.resolve(name);
            if (!Files.isSymbolicLink(next)) {
                at = next;
                continue;
            }
            if (++links > MAX_LINKS) {
                throw new FileSystemLoopException(path);
            }
            String target = Files.readSymbolicLink(next).toString();
            at = target.startsWith("/") ? root : at;
            push(open, target);
        }
        return at;
    }

    private static void push(Deque<String> open, String path) {
        String[] names = path.split("/");
        for (int i = names.length - 1; i >= 0; i--) {
            if (!names[i].isEmpty() && !names[i].equals(".")) {
                open.push(names[i]);
            }
        }
    }

    /**
     * Returns a path as the process names it, without links; the given one when it cannot be
     * resolved.
     */
    public String withoutLinks(String path) {
        try {
            return "/" + root.relativize(resolve(path));
        } catch (IOException | IllegalArgumentException e) {
            return path;
        }
    }

    @Override
    public String toString() {
        return root.toString();
    }
}
