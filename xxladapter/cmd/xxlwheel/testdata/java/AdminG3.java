import com.xxl.job.core.openapi.ExecutorBiz;
import com.xxl.job.core.openapi.model.IdleBeatRequest;
import com.xxl.job.core.openapi.model.KillRequest;
import com.xxl.job.core.openapi.model.LogRequest;
import com.xxl.job.core.openapi.model.LogResult;
import com.xxl.job.core.openapi.model.TriggerRequest;
import com.xxl.tool.http.HttpTool;
import com.xxl.tool.response.Response;

/** Calls an executor with the client that the Java admin has (3.3.2). */
public class AdminG3 {
    public static void main(String[] args) throws Exception {
        ExecutorBiz executor = client(args[0], args[1]);
        print("beat", executor.beat());
        print("wrong token", client(args[0], "wrong").beat());
        print("run", executor.run(run(1, 1, "note", "SERIAL_EXECUTION")));
        print("unknown handler", executor.run(run(1, 2, "nosuch", "SERIAL_EXECUTION")));
        print("hold", executor.run(run(2, 3, "hold", "SERIAL_EXECUTION")));
        print("busy", executor.idleBeat(new IdleBeatRequest(2)));
        print("idle", executor.idleBeat(new IdleBeatRequest(99)));
        print("discarded", executor.run(run(2, 4, "hold", "DISCARD_LATER")));
        print("kill", executor.kill(new KillRequest(2)));
        print("log", executor.log(new LogRequest(1767225600000L, 1, 1)));
        print("no log", executor.log(new LogRequest(1767225600000L, 999, 1)));
        System.exit(0);
    }

    static ExecutorBiz client(String address, String token) {
        return HttpTool.createClient().url(address).timeout(3000).header("XXL-JOB-ACCESS-TOKEN", token)
                .proxy(ExecutorBiz.class);
    }

    static TriggerRequest run(int job, long log, String handler, String block) {
        TriggerRequest r = new TriggerRequest();
        r.setJobId(job);
        r.setLogId(log);
        r.setLogDateTime(1767225600000L);
        r.setExecutorHandler(handler);
        r.setExecutorParams("a <b> & 'c'");
        r.setExecutorBlockStrategy(block);
        r.setGlueType("BEAN");
        r.setBroadcastTotal(1);
        return r;
    }

    static void print(String what, Response<?> reply) {
        Object content = reply.getData();
        if (content instanceof LogResult) {
            content = ((LogResult) content).getLogContent();
        }
        System.out.println(what + "|" + reply.getCode() + "|" + reply.getMsg() + "|"
                + String.valueOf(content).replace("\n", " "));
    }
}
