package dev.komainu.central.advice;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/** The advice of a leaf for one kind of server on Linux, for the table of leaves. */
public final class LeafActions {

    private final AdviceCatalogue book;

    public LeafActions(AdviceCatalogue book) {
        this.book = book;
    }

    /** A value that an order can carry: numbers and words. */
    private static final Pattern PLAIN = Pattern.compile("[\\w.]+( [\\w.]+)*");

    /**
     * One item.
     *
     * @param ofServer whether it belongs to the server and not to its system
     * @param plain whether it is one value in a file that the server has, as orders write it
     */
    public record Action(String id, String setting, boolean ofServer, boolean plain) {}

    /**
     * Returns the items.
     *
     * @param settings settings, as NAME=VALUE, that a server of this kind has
     */
    public List<Action> of(String leaf, String page, List<String> settings) {
        List<Action> actions = new ArrayList<>();
        for (String name : List.of(page, "linux")) {
            for (AdviceItem item : page(name).items()) {
                boolean suits = (item.only().stream().noneMatch(pair -> isSettled(pair, settings))
                                || item.only().stream().anyMatch(settings::contains))
                        && item.unless().stream().noneMatch(settings::contains);
                if (item.leaves().contains(leaf) && suits) {
                    CommandSyntax syntax =
                            Objects.requireNonNull(page(name).syntaxes().get(item.place()));
                    boolean wholeFile = syntax.isOwnFile() && syntax.set() == null;
                    String value = item.value();
                    actions.add(new Action(
                            item.id(),
                            item.setting(),
                            name.equals(page),
                            !wholeFile && (value == null || PLAIN.matcher(value).matches())));
                }
            }
        }
        return actions;
    }

    /** Reports whether an action without a setting belongs to the leaf. */
    public boolean instructs(String leaf, String page) {
        return List.of(page, "linux", AdviceCatalogue.ANY).stream()
                .flatMap(name -> page(name).instructions().stream())
                .anyMatch(item -> item.leaves().contains(leaf));
    }

    /** Reports whether the kind fixes this setting, whatever its value. */
    private static boolean isSettled(String pair, List<String> settings) {
        String name = pair.substring(0, pair.indexOf('=') + 1);
        return settings.stream().anyMatch(setting -> setting.startsWith(name));
    }

    private AdvicePage page(String name) {
        return Objects.requireNonNull(book.pages().get(name));
    }
}
