import com.xxl.job.core.biz.ExecutorBiz;
import com.xxl.job.core.biz.client.ExecutorBizClient;
import com.xxl.job.core.biz.model.IdleBeatParam;
import com.xxl.job.core.biz.model.KillParam;
import com.xxl.job.core.biz.model.LogParam;
import com.xxl.job.core.biz.model.LogResult;
import com.xxl.job.core.biz.model.ReturnT;
import com.xxl.job.core.biz.model.TriggerParam;
import java.lang.reflect.Constructor;

/** Calls an executor with the client that the Java admin has (2.4.2 and 3.2.0). */
public class AdminG1 {
    public static void main(String[] args) throws Exception {
        ExecutorBiz executor = client(args[0], args[1]);
        print("beat", executor.beat());
        print("wrong token", client(args[0], "wrong").beat());
        print("run", executor.run(run(1, 1, "note", "SERIAL_EXECUTION")));
        print("unknown handler", executor.run(run(1, 2, "nosuch", "SERIAL_EXECUTION")));
        print("hold", executor.run(run(2, 3, "hold", "SERIAL_EXECUTION")));
        print("busy", executor.idleBeat(new IdleBeatParam(2)));
        print("idle", executor.idleBeat(new IdleBeatParam(99)));
        print("discarded", executor.run(run(2, 4, "hold", "DISCARD_LATER")));
        print("kill", executor.kill(new KillParam(2)));
        print("log", executor.log(new LogParam(1767225600000L, 1, 1)));
        print("no log", executor.log(new LogParam(1767225600000L, 999, 1)));
        System.exit(0);
    }

    // The time-out came with 2.5.0.
    static ExecutorBiz client(String address, String token) throws Exception {
        for (Constructor<?> c : ExecutorBizClient.class.getConstructors()) {
            if (c.getParameterCount() == 3) {
                return (ExecutorBiz) c.newInstance(address, token, 3);
            }
        }
        return ExecutorBizClient.class.getConstructor(String.class, String.class).newInstance(address, token);
    }

    static TriggerParam run(int job, long log, String handler, String block) {
        TriggerParam p = new TriggerParam();
        p.setJobId(job);
        p.setLogId(log);
        p.setLogDateTime(1767225600000L);
        p.setExecutorHandler(handler);
        p.setExecutorParams("a <b> & 'c'");
        p.setExecutorBlockStrategy(block);
        p.setGlueType("BEAN");
        p.setBroadcastTotal(1);
        return p;
    }

    static void print(String what, ReturnT<?> reply) {
        Object content = reply.getContent();
        if (content instanceof LogResult) {
            content = ((LogResult) content).getLogContent();
        }
        System.out.println(what + "|" + reply.getCode() + "|" + reply.getMsg() + "|"
                + String.valueOf(content).replace("\n", " "));
    }
}
