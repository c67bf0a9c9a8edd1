package dev.komainu.central.label;

/**
 * A matcher of names against patterns in which {@code *} stands for any number of characters:
 * {@code web-*:80}.
 */
public final class Glob {

    private Glob() {}

    /**
     * Reports whether the name matches. Takes time proportional to the product of both lengths at
     * worst.
     */
    public static boolean matches(String pattern, String name) {
        int p = 0;
        int n = 0;
        int star = -1;
        int resume = 0;
        while (n < name.length()) {
            if (p < pattern.length() && pattern.charAt(p) == '*') {
                star = p++;
                resume = n;
            } else if (p < pattern.length() && pattern.charAt(p) == name.charAt(n)) {
                p++;
                n++;
            } else if (star >= 0) {
                p = star + 1;
                n = ++resume;
            } else {
                return false;
            }
        }
        while (p < pattern.length() && pattern.charAt(p) == '*') {
            p++;
        }
        return p == pattern.length();
    }
}
