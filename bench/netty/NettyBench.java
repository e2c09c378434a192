import com.sun.management.OperatingSystemMXBean;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Netty's HashedWheelTimer in the cases of the Go benchmarks, with their names and their result lines.
 *
 * <p>Reads the name of a case from standard input, measures it once, writes its results and the line "done". The
 * process stays, so that the code stays compiled; a case first runs unmeasured until {@link #WARM_UP} has passed.
 */
public final class NettyBench {
    private static final long WARM_UP = TimeUnit.SECONDS.toNanos(2);
    private static final int RING = 1024;
    private static final long FAR_MIN = TimeUnit.MINUTES.toNanos(1);
    private static final long FAR_MAX = TimeUnit.MINUTES.toNanos(10);

    private static final OperatingSystemMXBean OS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final TimerTask NOTHING = timeout -> {};
    private static final ThreadFactory DAEMON = task -> {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    };

    private static boolean small;
    private static boolean warm;
    private static volatile long sink;

    public static void main(String[] args) throws Exception {
        small = Arrays.asList(args).contains("-short");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String name = in.readLine(); name != null; name = in.readLine()) {
            switch (name) {
                case "Start" -> {
                    for (int n : small ? new int[] {10_000} : new int[] {100_000, 1_000_000}) start(n);
                }
                case "Pending" -> {
                    for (int n : small ? new int[] {0, 10_000} : new int[] {0, 100_000, 1_000_000, 5_000_000}) {
                        pending(n);
                    }
                }
                case "Fire" -> {
                    for (int n : small ? new int[] {10_000} : new int[] {100_000, 1_000_000}) {
                        fire(n, 0);
                        if (n != 100_000) fire(n, TimeUnit.SECONDS.toNanos(1));
                    }
                }
                case "Lateness" -> {
                    for (long tick : new long[] {1, 10, 100}) lateness(small ? 500 : 20_000, tick);
                }
                default -> {}
            }
            System.out.println("done");
        }
    }

    private static HashedWheelTimer timer(long tickMillis) {
        return new HashedWheelTimer(DAEMON, tickMillis, TimeUnit.MILLISECONDS, 512, false);
    }

    private static void fill(HashedWheelTimer timer, Timeout[] slots, int n) {
        Random random = new Random(1);
        for (int i = 0; i < n; i++) {
            slots[i] = timer.newTimeout(NOTHING, FAR_MIN + (long) (random.nextDouble() * (FAR_MAX - FAR_MIN)),
                    TimeUnit.NANOSECONDS);
        }
    }

    /** Waits until the worker has transferred the queued timeouts, at most 100 000 in a tick. */
    private static void settle(int n) throws InterruptedException {
        System.gc();
        Thread.sleep(50 + n / 100_000 * 15L);
    }

    private static long[] delays() {
        Random random = new Random(2);
        long[] delays = new long[1 << 14];
        for (int i = 0; i < delays.length; i++) {
            delays[i] = TimeUnit.SECONDS.toNanos(25) + (long) (random.nextDouble() * TimeUnit.SECONDS.toNanos(10));
        }
        return delays;
    }

    private static void start(int n) throws InterruptedException {
        long[] delays = delays();
        Timeout[] slots = new Timeout[n];
        long ran = 0;
        long measured = 0;
        for (int round = 0; round < 2 || ran < WARM_UP && !warm && !small; round++) {
            HashedWheelTimer timer = timer(10);
            System.gc();
            long begin = System.nanoTime();
            for (int i = 0; i < n; i++) {
                slots[i] = timer.newTimeout(NOTHING, delays[i & delays.length - 1], TimeUnit.NANOSECONDS);
            }
            measured = System.nanoTime() - begin;
            ran += measured;
            timer.stop();
            Arrays.fill(slots, null);
        }
        result("Start", "pending=" + count(n) + "/goroutines=1", n, measured / (double) n, "ns/op");
    }

    private static void pending(int pending) throws Exception {
        // A timer has a finalizer, so the previous one needs two collections.
        System.gc();
        Thread.sleep(100);
        System.gc();
        long before = inUse();
        Timeout[] slots = new Timeout[Math.max(pending, 1)];
        HashedWheelTimer timer = timer(10);
        timer.newTimeout(NOTHING, 1, TimeUnit.MINUTES).cancel();
        fill(timer, slots, pending);
        settle(pending);
        String name = "pending=" + count(pending);
        boolean tiny = pending <= 10_000;
        if (pending > 0) memory(name, pending, before);
        if (pending == 1_000_000 || tiny) idle(name);
        startStop(name, timer);
        if (pending == 1_000_000 || tiny && pending > 0) reset(name, timer, slots);
        timer.stop();
    }

    private static void startStop(String name, HashedWheelTimer timer) throws Exception {
        int procs = Runtime.getRuntime().availableProcessors();
        int pairs = small ? 10_000 : 2_000_000;
        for (int threads : procs > 1 ? new int[] {1, procs} : new int[] {1}) {
            long until = System.nanoTime() + WARM_UP;
            while (!warm && !small && System.nanoTime() < until) {
                pairs(timer, threads, 200_000);
            }
            Thread.sleep(50);
            long cpu = OS.getProcessCpuTime();
            long wall = pairs(timer, threads, pairs);
            // The worker transfers at most 100 000 in a tick, and these transfers belong to the cost.
            Thread.sleep(20 + pairs / 100_000 * 10L);
            cpu = OS.getProcessCpuTime() - cpu;
            result("Pending", name + "/startstop/goroutines=" + threads, pairs, wall / (double) pairs, "ns/op",
                    cpu / (double) pairs, "cpu-ns/op");
        }
        warm = true;
    }

    private static long pairs(HashedWheelTimer timer, int threads, int n) throws Exception {
        long[] delays = delays();
        AtomicInteger stopped = new AtomicInteger();
        Thread[] running = new Thread[threads];
        CountDownLatch go = new CountDownLatch(1);
        for (int t = 0; t < threads; t++) {
            running[t] = new Thread(() -> {
                try {
                    go.await();
                } catch (InterruptedException e) {
                    return;
                }
                Timeout[] ring = new Timeout[RING];
                int mine = 0;
                for (int i = 0; i < n / threads; i++) {
                    Timeout timeout =
                            timer.newTimeout(NOTHING, delays[i & delays.length - 1], TimeUnit.NANOSECONDS);
                    ring[i & RING - 1] = timeout;
                    if (timeout.cancel()) mine++;
                }
                stopped.addAndGet(mine);
            });
            running[t].start();
        }
        long begin = System.nanoTime();
        go.countDown();
        for (Thread thread : running) thread.join();
        long wall = System.nanoTime() - begin;
        if (stopped.get() != n / threads * threads) throw new IllegalStateException("not all were cancelled");
        return wall;
    }

    /** Netty cannot move a deadline: a reset is a cancel and a new timeout. */
    private static void reset(String name, HashedWheelTimer timer, Timeout[] slots) {
        int n = slots.length;
        int[] order = new int[n];
        for (int i = 0; i < n; i++) order[i] = i;
        Random random = new Random(3);
        for (int i = n - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            int swap = order[i];
            order[i] = order[j];
            order[j] = swap;
        }
        int operations = Math.min(n, 500_000);
        for (boolean same : new boolean[] {true, false}) {
            long pending = 0;
            long nanos = 0;
            for (int round = 0; round < (small ? 1 : 2); round++) {
                long begin = System.nanoTime();
                for (int i = 0; i < operations; i++) {
                    int slot = same ? 0 : order[i];
                    if (slots[slot].cancel()) pending++;
                    slots[slot] = timer.newTimeout(NOTHING, FAR_MAX + FAR_MIN, TimeUnit.NANOSECONDS);
                }
                nanos = System.nanoTime() - begin;
            }
            sink = pending;
            result("Pending", name + "/reset/later/order=" + (same ? "same" : "random"), operations,
                    nanos / (double) operations, "ns/op");
        }
    }

    private static void fire(int n, long spread) throws InterruptedException {
        for (int round = 0; round < 2; round++) {
            System.gc();
            HashedWheelTimer timer = timer(10);
            timer.start();
            AtomicInteger fired = new AtomicInteger();
            long[] edge = new long[2];
            CountDownLatch all = new CountDownLatch(1);
            TimerTask task = timeout -> {
                int count = fired.incrementAndGet();
                if (count == 1) edge[0] = System.nanoTime();
                if (count == n) {
                    edge[1] = System.nanoTime();
                    all.countDown();
                }
            };
            long at = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(200) + 350L * n;
            for (int i = 0; i < n; i++) {
                long due = at + (long) ((double) i * spread / n);
                timer.newTimeout(task, due - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
            Thread.sleep(Math.max(0, (at - System.nanoTime()) / 1_000_000 - 20));
            long cpu = OS.getProcessCpuTime();
            all.await();
            cpu = OS.getProcessCpuTime() - cpu;
            timer.stop();
            if (round == 0 && !warm && !small) continue;
            String name = "due=" + count(n) + "/at=" + (spread == 0 ? "once" : "spread-1s");
            double late = (edge[1] - at - spread) / 1e6;
            if (spread == 0) {
                result("Fire", name, 1, cpu / (double) n, "cpu-ns/fire", late, "last-late-ms",
                        (edge[1] - edge[0]) / (double) n, "wall-ns/fire");
            } else {
                result("Fire", name, 1, cpu / (double) n, "cpu-ns/fire", late, "last-late-ms");
            }
            return;
        }
    }

    private static void memory(String name, int n, long before) {
        long begin = System.nanoTime();
        System.gc();
        double gc = (System.nanoTime() - begin) / 1e6;
        result("Pending", name + "/memory", 1, (inUse() - before) / (double) n, "B/timeout", gc, "gc-ms");
    }

    private static long inUse() {
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static void idle(String name) throws InterruptedException {
        Thread.sleep(150);
        long begin = System.nanoTime();
        long cpu = OS.getProcessCpuTime();
        Thread.sleep(300);
        cpu = OS.getProcessCpuTime() - cpu;
        long wall = System.nanoTime() - begin;
        result("Pending", name + "/idle", 1, 100.0 * cpu / wall, "cpu-%");
    }

    private static void lateness(int n, long tick) throws InterruptedException {
        HashedWheelTimer timer = timer(tick);
        timer.start();
        Random random = new Random(4);
        double[] late = new double[n];
        CountDownLatch all = new CountDownLatch(n);
        for (int i = 0; i < n; i++) {
            int slot = i;
            long delay = (long) (random.nextDouble() * 200_000_000L);
            long due = System.nanoTime() + delay;
            timer.newTimeout(timeout -> {
                late[slot] = (System.nanoTime() - due) / 1e6;
                all.countDown();
            }, delay, TimeUnit.NANOSECONDS);
        }
        all.await();
        timer.stop();
        Arrays.sort(late);
        int early = 0;
        while (early < n && late[early] < 0) early++;
        result("Lateness", "due=" + count(n) + "/tick=" + tick + "ms/goroutines=1", 1, early, "early", n, "fires",
                late[n - 1], "max-ms", late[0], "min-ms", at(late, 5), "p5-ms", at(late, 50), "p50-ms",
                at(late, 95), "p95-ms", at(late, 99), "p99-ms");
    }

    private static double at(double[] sorted, double percent) {
        return sorted[(int) (percent / 100 * (sorted.length - 1))];
    }

    private static String count(int n) {
        if (n >= 1_000_000 && n % 1_000_000 == 0) return n / 1_000_000 + "M";
        if (n >= 1000 && n % 1000 == 0) return n / 1000 + "k";
        return Integer.toString(n);
    }

    /** Writes one result in the format of Go's benchmarks. */
    private static void result(String name, String variant, int n, Object... values) {
        StringBuilder line = new StringBuilder();
        line.append("Benchmark").append(name).append("/timer=Netty/").append(variant);
        int procs = Runtime.getRuntime().availableProcessors();
        if (procs > 1) line.append('-').append(procs);
        line.append('\t').append(n);
        for (int i = 0; i < values.length; i += 2) {
            double value = ((Number) values[i]).doubleValue();
            line.append(String.format(Locale.ROOT, "\t%.4g %s", value, values[i + 1]));
        }
        System.out.println(line);
    }
}
