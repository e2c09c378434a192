var k,tt,Cn,re,Tn,Xe,ot,Ve,rt,Nn,Sn,bo,Re=Symbol.for("pv"),Ze={},Qe=[],wo=/^m(i|n|o|s|text|space)$/,Mn=Array.isArray,je=Qe.slice,ae=Object.assign;function fe(e){e&&e.parentNode&&e.remove()}function r(e,n,t){var o,a,i,s={},l=arguments.length;for(i in n)i=="key"?o=n[i]:i=="ref"&&typeof e!="function"?a=n[i]:s[i]=n[i];return l>2&&(s.children=l>3?je.call(arguments,2):t),ve(e,s,o,a,null)}function at(e,n,t){var o,a,i,s=ae({},e.props),l=arguments.length;for(i in n)i=="key"?o=n[i]:i=="ref"&&typeof e.type!="function"?a=n[i]:s[i]=n[i];return l>2&&(s.children=l>3?je.call(arguments,2):t),ve(e.type,s,o!==void 0?o:e.key,a!==void 0?a:e.ref,null)}function ve(e,n,t,o,a){var i={type:e,props:n,key:t,ref:o,__k:null,__:null,__b:0,__e:null,__c:null,constructor:Re,__v:a||++tt,__i:-1,__u:0};return!a&&k.vnode&&k.vnode(i),i}function I(e){return e.children}function ye(e,n){this.props=e,this.context=n,this.__g=0}function ie(e,n){if(n==null)return e.__&&ie(e.__,e.__i+1);for(var t;n<e.__k.length;n++)if((t=e.__k[n])&&t.__e)return t.__e;return typeof e.type!="function"||e.props.__P?null:ie(e)}function ko(e){var n,t=e.__v,o=t.__e,a=[],i=[],s=e.__P;s&&((n=ae({constructor:Re},t)).__v=t.__v+1,k.vnode&&k.vnode(n),An(s,n,t,e.__n,s.namespaceURI,32&t.__u?[o]:null,a,o||ie(t),32&t.__u,i),n.__v=t.__v,n.__.__k[n.__i]=n,dt(a,n,i),t.__=t.__e=null,n.__e!=o&&it(n))}function it(e){if((e=e.__)&&e.__c&&!e.props.__P)return e.__e=null,e.__k.some(function(n){return n&&(e.__e=n.__e)}),it(e)}function et(e){(8&e.__g||(e.__g|=8,re.push(e),Xe++))&&Tn==k.debounceRendering||((Tn=k.debounceRendering)||queueMicrotask)(st)}function st(){try{for(var e,n=1;re.length;)re.length>n&&re.sort(ot),e=re.shift(),n=re.length,8&e.__g&&ko(e)}finally{(Xe=re.length)&&(Tn||queueMicrotask)(st)}}function ut(e,n,t,o,a,i,s,l,f,p,d){var m,g,u,_,w,y,b=o.__k||Qe,v=n.length;for(f=To(t,n,b,f,v),m=0;m<v;m++)(u=t.__k[m])!=null&&(g=~u.__i&&b[u.__i]||Ze,u.__i=m,y=An(e,u,g,a,i,s,l,f,p,d),_=u.__e,(g.ref!=u.ref||8&g.__u)&&(g.ref&&Ln(g.ref,null,u,g),u.ref&&d.push(u.ref,u.__c||_,u)),w=w||_,4&u.__u?(f=lt(u,f,e,!g.__v),g.__e&&(g.__e=null)):typeof u.type=="function"&&y!==void 0?f=y:_&&(f=_.nextSibling),u.__u&=-21);return t.__e=w,f}function To(e,n,t,o,a){var i,s,l,f,p,d,m,g,u,_=t.length,w=_,y=0,b=0,v=e.__k=Array(a);for(i=0;i<a;i++)(s=n[i])!=null&&typeof s!="boolean"&&typeof s!="function"?(typeof s!="object"||s.constructor===String?s=v[i]=ve(null,s):Mn(s)?s=v[i]=ve(I,{children:s}):s.constructor===Re&&s.__b?s=v[i]=ve(s.type,s.props,s.key,s.ref,s.__v):v[i]=s,f=i+y,s.__=e,s.__b=e.__b+1,l=null,~(p=s.__i=So(s,t,f,w))&&(w--,(l=t[p])&&(l.__u|=2)),l&&l.__v?(s.__u|=16,p==f-1?y--:p==f+1?y++:p!=f&&(p>f?y--:y++,b=1)):(~p||(a>_?y--:a<_&&y++),typeof s.type!="function"&&(s.__u|=4))):v[i]=null;if(b){for(d=[],m=[],i=0;i<a;i++)if((s=v[i])&&16&s.__u){for(y=0,g=d.length;y<g;)d[u=y+g>>1]<s.__i?y=u+1:g=u;d[y]=s.__i,m[i]=y+1}for(y=d.length;i--;)m[i]&&(m[i]==y?y--:v[i].__u|=4)}if(w)for(i=0;i<_;i++)!(l=t[i])||2&l.__u||(l.__e==o&&(o=ie(l)),Rn(l,l));return o}function lt(e,n,t,o){var a,i,s,l;if(typeof e.type=="function"){if(e.props.__P)return n;if(a=e.__k)for(i=0;i<a.length;i++)a[i]&&(a[i].__=e,n=lt(a[i],n,t,!1));return n}for(n&&!n.parentNode&&(n=ie(e))&&!n.parentNode&&(n=null),s=e.__e,l=n;l&&l.nodeType==8;)l=l.nextSibling;for(s!=l&&(!o&&t.moveBefore&&s.parentNode?t.moveBefore(s,n):t.insertBefore(s,n||null)),n=s;(n=n&&n.nextSibling)&&n.nodeType==8&&!n.data.startsWith("$s"););return n}function So(e,n,t,o){var a,i=e.key,s=e.type,l=n[t],f=l&&!(2&l.__u);if(l===null&&i==null||f&&i==l.key&&s==l.type)return t;if(o>(f?1:0)){for(a=t-1;a>=0;a--)if((l=n[a])&&!(2&l.__u)&&i==l.key&&s==l.type)return a;for(a=t+1;a<n.length;a++)if((l=n[a])&&!(2&l.__u)&&i==l.key&&s==l.type)return a}return-1}function nt(e,n,t){t==null&&(t=""),n[0]=="-"?e.setProperty(n,t):e[n]=t}function Ke(e,n,t,o,a){var i,s;if(n=="style")if(typeof t=="string")e.style.cssText=t;else{if(typeof o=="string"&&(e.style.cssText=o=""),o)for(n in o)t&&n in t||nt(e.style,n);if(t)for(n in t)o&&t[n]==o[n]||nt(e.style,n,t[n])}else if(n[0]=="o"&&n[1]=="n")typeof t!="function"&&(t=null),typeof o!="function"&&(o=null),(e.__e||(e.__e={}))[n]=t,t&&o||(s=Sn[n]||(Sn[n]=Co(n)),(e.__a||(e.__a={}))[n]=Nn,i=n!=(n=n.replace(rt,"$1")),(n=n.slice(2))[0]<"a"&&(n=n.toLowerCase()),t?e.addEventListener(n,s,i):e.removeEventListener(n,s,i));else{if(a=="http://www.w3.org/2000/svg")n=n.replace(/xlink(H|:h)/,"h").replace(/sName$/,"s");else if(n!="width"&&n!="height"&&n!="href"&&n!="list"&&n!="form"&&n!="tabIndex"&&n!="download"&&n!="rowSpan"&&n!="colSpan"&&n!="role"&&n!="popover"&&n in e)try{return void(e[n]=t??"")}catch{}if(typeof t=="function")return;t==null||t===!1&&n[4]!="-"?e.removeAttribute(n):e.setAttribute(n,n=="popover"&&t==1?"":t)}}function Co(e){return function(n){var t=this.__e;if(t){if(t=t[e],n[Ve]==null)n[Ve]=Nn++;else if(n[Ve]<this.__a[e])return;return t(k.event?k.event(n):n)}}}function An(e,n,t,o,a,i,s,l,f,p){var d,m,g,u,_,w,y,b,v,C,S,Q,j,h,P,Je,oe,de,ee=n.type;if(n.constructor!==Re)return null;128&t.__u&&(f=32&t.__u,d=t.__c.__z)&&(n.__u|=f,m=i=[],d.nodeType==8?l=Ye(d,i):i.push(d),l=i[0]||l),(d=k.__b)&&d(n);e:if(typeof ee=="function"){g=s.length;try{if(b=n.props,v=(d=ee.prototype)&&d.render,C=(d=ee.contextType)&&o[d.__c],S=d?C?C.props.value:d.__:o,(u=t.__c)?(n.__c=u,2&u.__g&&(u.__g|=1)):(v?n.__c=u=new ee(b,S):(n.__c=u=new ye(b,S),u.constructor=ee,u.render=Mo),C&&C.sub(u),u.state||(u.state={}),u.__n=o,u.__g|=8,u.__h=[],u.__k=[]),v&&(u.__s||(u.__s=u.state),ee.getDerivedStateFromProps&&(u.__s==u.state&&(u.__s=ae({},u.__s)),ae(u.__s,ee.getDerivedStateFromProps(b,u.__s)))),_=u.props,w=u.state,u.__v=n,t.__c){if(b!==_&&v&&!ee.getDerivedStateFromProps&&u.componentWillReceiveProps&&u.componentWillReceiveProps(b,S),n.__v==t.__v&&!(8&u.__g)||!(4&u.__g)&&u.shouldComponentUpdate&&u.shouldComponentUpdate(b,u.__s,S)===!1){n.__v!=t.__v&&(u.props=b,u.state=u.__s,u.__g&=-9),n.__e=t.__e,n.__k=t.__k,n.__k.some(function(z){z&&(z.__=n)}),Qe.push.apply(u.__h,u.__k),u.__k=[],u.__h.length&&s.push(u),l=ie(t);break e}u.componentWillUpdate&&u.componentWillUpdate(b,u.__s,S),v&&u.componentDidUpdate&&u.__h.push(function(){u.componentDidUpdate(_,w,y)})}else v&&!ee.getDerivedStateFromProps&&u.componentWillMount&&u.componentWillMount(),v&&u.componentDidMount&&u.__h.push(u.componentDidMount);u.context=S,u.props=b,u.__P=e,u.__g&=-5,Q=k.__r,j=v?25:0;do u.__g&=-9,Q&&Q(n),d=u.render(u.props,u.state=u.__s,u.context);while(8&u.__g&&++j<25);v&&(Qe.push.apply(u.__h,u.__k),u.__k=[]),u.state=u.__s,u.getChildContext&&(o=ae({},o,u.getChildContext())),v&&t.__c&&u.getSnapshotBeforeUpdate&&(y=u.getSnapshotBeforeUpdate(_,w)),h=d&&d.type===I&&d.key==null?d.props.children:d,b.__P&&(d=l,a=(e=b.__P).namespaceURI,f=i=null,t.props&&t.props.__P!=e&&(t.__k.some(function(z){z&&Rn(z,z)}),t.__k=null),l=t.__k?ie(t,0):null),l=ut(e,Mn(h)?h:[h],n,t,o,a,i,s,l,f,p),b.__P&&(n.__e=null,l=d),n.__u&=-161,m&&m.some(fe),u.__h.length&&s.push(u),1&u.__g&&(u.__g&=-4)}catch(z){if(s.length=g,n.__v=null,f||i)if(z&&z.then){if(n.__u|=128|f,i){for(~(oe=i.indexOf(l||void 0))||(oe=i.length);(de=i[oe-1])&&de.nodeType==8;)oe--;for(;oe<i.length;oe++)if(de=i[oe])if(i[oe]=null,P){if(de==Je)break}else{if(de.nodeType!=8)break;de.data.startsWith("$s")&&(Je=Ye(P=de))}}if(!P){for(;l&&l.nodeType==8&&l.nextSibling;)l=l.nextSibling;P=l}(d=Ye(P=n.__c.__z||(n.__c.__z=P)))?(n.__e=P,l=d):n.__e=l,l=l&&l.nextSibling}else i&&i.some(fe);else n.__e=t.__e;n.__k||(n.__k=t.__k||[]),z&&z.then||ct(n),k.__e(z,n,t)}}else l=n.__e=No(t.__e,n,t,o,a,i,s,f,p,e);return(d=k.diffed)&&d(n),l}function Ye(e,n){if(e&&e.nodeType==8&&e.data.startsWith("$s"))for(var t=1;e=e.nextSibling;){if(e.nodeType==8){if(e.data.startsWith("$s"))t++;else if(e.data.startsWith("/$s")&&!--t)return e}n&&n.push(e)}}function ct(e){e&&(e.__c&&(e.__c.__g|=4),e.__k&&e.__k.some(ct))}function dt(e,n,t){for(var o=0;o<t.length;)Ln(t[o++],t[o++],t[o++]);k.__c&&k.__c(n,e),e.some(function(a){try{e=a.__h,a.__h=[],e.some(function(i){i.call(a)})}catch(i){k.__e(i,a.__v)}})}function No(e,n,t,o,a,i,s,l,f,p){var d,m,g,u,_,w,y,b,v=t.props||Ze,C=n.props,S=n.type;if(S=="svg"?a="http://www.w3.org/2000/svg":S=="math"?a="http://www.w3.org/1998/Math/MathML":a||(a="http://www.w3.org/1999/xhtml"),i){for(d=0;d<i.length;d++)if((_=i[d])&&(S?_.localName==S:_.nodeType==3)){e=_,i[d]=null;break}}if(!e){if(b=p.ownerDocument||document,!S)return b.createTextNode(C);e=b.createElementNS(a,S,C.is?C:p),l&&(k.__m&&k.__m(n,i),l=!1),i=null}if(S){if(p=S=="template"&&e.content||e,i=S=="textarea"&&C.defaultValue!=null?null:i&&je.call(p.childNodes),!l&&i)for(v={},d=0;d<e.attributes.length;d++)v[(_=e.attributes[d]).name]=_.value;for(d in v)_=v[d],d=="dangerouslySetInnerHTML"?g=_:d=="children"||d in C||d=="value"&&"defaultValue"in C||d=="checked"&&"defaultChecked"in C||Ke(e,d,null,_,a);for(d in C)_=C[d],d=="children"?u=_:d=="dangerouslySetInnerHTML"?m=_:d=="value"?w=_:d=="checked"?y=_:l&&typeof _!="function"||v[d]===_||Ke(e,d,_,v[d],a);m?(l||g&&(m.__html==g.__html||m.__html==e.innerHTML)||(e.innerHTML=m.__html),n.__k=[]):(g&&(e.textContent=""),(S=="foreignObject"||a=="http://www.w3.org/1998/Math/MathML"&&wo.test(S))&&(a="http://www.w3.org/1999/xhtml"),ut(p,Mn(u)?u:[u],n,t,o,a,i,s,i?i[0]:t.__k&&ie(t,0),l,f),i&&i.some(fe)),l&&S!="textarea"||(d="value",S=="progress"&&w==null?e.removeAttribute(d):w==null||w===e[d]&&(S!="progress"||w)||Ke(e,d,w,v[d],a),d="checked",y!=null&&y!=e[d]&&Ke(e,d,y,v[d],a))}else v===C||l&&e.data==C||(e.data=C);return e}function Ln(e,n,t,o){try{typeof e=="function"?n?n.__x=e(n)||1:o&&(o=o.__c||o.__e)&&(n=o.__x)&&(o.__x=null,typeof n=="function"?n():e(null)):e.current=n}catch(a){k.__e(a,t)}}function Rn(e,n,t){var o,a,i,s;if(k.unmount&&k.unmount(e),!(o=e.ref)||o.current&&o.current!=e.__e||Ln(o,null,n,e),o=e.__c){if(o.componentWillUnmount)try{o.componentWillUnmount()}catch(l){k.__e(l,n)}o.__P=o.__n=null}if(o=e.__k)for(s=0;s<o.length;s++)o[s]&&Rn(o[s],n,typeof e.type!="function"||t&&!e.props.__P);!t&&(o=e.__c)&&(o=o.__z)&&(a=Ye(o,i=[]))&&(o==e.__e&&i.some(fe),fe(a),fe(o)),t||fe(e.__e),e.__e=e.__c=e.__=null}function Mo(e,n,t){return this.constructor(e,t)}function Or(e,n){var t,o,a,i;k.__&&k.__(e,n),n.nodeType==9&&(n=n.documentElement),o=(t=e&&32&e.__u)?null:n.__k,n.__k=ve(I,{children:[e]}),a=[],i=[],An(n,n.__k,o||Ze,Ze,n.namespaceURI,o?null:n.firstChild?je.call(n.childNodes):null,a,o?o.__e:n.firstChild,t,i),dt(a,n.__k,i),n.__k.props.children=null}k={__e:function(e,n,t,o){for(var a,i,s;n=n.__;)if((a=n.__c)&&!(1&a.__g)){a.__g|=4;try{if((s=(i=a.constructor)&&i.getDerivedStateFromError)&&a.setState(i.getDerivedStateFromError(e)),a.componentDidCatch&&(a.componentDidCatch(e,o||{}),s=1),s&&8&a.__g)return void(a.__g|=2)}catch(l){e=l}}throw Xe=0,e}},tt=0,Cn=function(e){return e!=null&&e.constructor===Re},ye.prototype.setState=function(e,n){var t=this.__s;t&&t!=this.state||(t=this.__s=ae({},this.state)),typeof e=="function"&&(e=e(ae({},t),this.props)),e&&(ae(t,e),this.__v&&(n&&this.__k.push(n),et(this)))},ye.prototype.forceUpdate=function(e){this.__v&&(this.__g|=4,e&&this.__h.push(e),et(this))},ye.prototype.render=I,re=[],Xe=0,ot=function(e,n){return e.__v.__b-n.__v.__b},Ve=Symbol(),rt=/(PointerCapture)$|Capture$/i,Nn=0,Sn={},bo=0;var Ao=Symbol.for("preact-signals");function on(){if(ne>1)ne--;else{var e,n=!1;for((function(){var a=nn;for(nn=void 0;a!==void 0;){var i=a.S;if(i.v===a.v)for(var s=i.t;s!==void 0;s=s.x)s.i===a.i&&(s.i=i.i);a=a.o}})();Pe!==void 0;){var t=Pe;for(Pe=void 0,en++;t!==void 0;){var o=t.u;if(t.u=void 0,t.f&=-3,!(8&t.f)&&ht(t))try{t.c()}catch(a){n||(e=a,n=!0)}t=o}}if(en=0,ne--,n)throw e}}function Oe(e){if(ne>0)return e();xn=++Lo,ne++;try{return e()}finally{on()}}var xe,N=void 0;function De(e){var n=N,t=xe;N=void 0,xe=void 0;try{return e()}finally{N=n,xe=t}}var Pe=void 0,ne=0,en=0,Lo=0,xn=0,nn=void 0,tn=0;function ft(e){if(N!==void 0){var n=e.n;if(n===void 0||n.t!==N)return n={i:0,S:e,p:N.s,n:void 0,t:N,e:void 0,x:void 0,r:n},N.s!==void 0&&(N.s.n=n),N.s=n,e.n=n,32&N.f&&e.S(n),n;if(n.i===-1)return n.i=0,n.n!==void 0&&(n.n.p=n.p,n.p!==void 0&&(n.p.n=n.n),n.p=N.s,n.n=void 0,N.s.n=n,N.s=n),n}}function x(e,n){this.v=e,this.i=0,this.n=void 0,this.t=void 0,this.l=0,this.W=n?.watched,this.Z=n?.unwatched,this.name=n?.name}x.prototype.brand=Ao;x.prototype.h=function(){return!0};x.prototype.S=function(e){var n=this,t=this.t;t!==e&&e.e===void 0&&(e.x=t,this.t=e,t!==void 0?t.e=e:De(function(){var o;(o=n.W)==null||o.call(n)}))};x.prototype.U=function(e){var n=this;if(this.t!==void 0){var t=e.e,o=e.x;t!==void 0&&(t.x=o,e.e=void 0),o!==void 0&&(o.e=t,e.x=void 0),e===this.t&&(this.t=o,o===void 0&&De(function(){var a;(a=n.Z)==null||a.call(n)}))}};x.prototype.subscribe=function(e){var n=this;return E(function(){var t=n.value;De(function(){return e(t)})},{name:"sub"})};x.prototype.valueOf=function(){return this.value};x.prototype.toString=function(){return this.value+""};x.prototype.toJSON=function(){return this.value};x.prototype.peek=function(){var e=this;return De(function(){return e.value})};Object.defineProperty(x.prototype,"value",{get:function(){var e=ft(this);return e!==void 0&&(e.i=this.i),this.v},set:function(e){if(e!==this.v){if(en>100)throw new Error("Cycle detected");(function(t){ne!==0&&en===0&&t.l!==xn&&(t.l=xn,nn={S:t,v:t.v,i:t.i,o:nn})})(this),this.v=e,this.i++,tn++,ne++;try{for(var n=this.t;n!==void 0;n=n.x)n.t.N()}finally{on()}}}});function T(e,n){return new x(e,n)}function ht(e){for(var n=e.s;n!==void 0;n=n.n)if(n.S.i!==n.i||!n.S.h()||n.S.i!==n.i)return!0;return!1}function pt(e){for(var n=e.s;n!==void 0;n=n.n){var t=n.S.n;if(t!==void 0&&(n.r=t),n.S.n=n,n.i=-1,n.n===void 0){e.s=n;break}}}function mt(e){for(var n=e.s,t=void 0;n!==void 0;){var o=n.p;n.i===-1?(n.S.U(n),o!==void 0&&(o.n=n.n),n.n!==void 0&&(n.n.p=o)):t=n,n.S.n=n.r,n.r!==void 0&&(n.r=void 0),n=o}e.s=t}function he(e,n){x.call(this,void 0,n),this.x=e,this.s=void 0,this.g=tn-1,this.f=4}he.prototype=new x;he.prototype.h=function(){if(this.f&=-3,1&this.f)return!1;if((36&this.f)==32||(this.f&=-5,this.g===tn))return!0;if(this.g=tn,this.f|=1,this.i>0&&!ht(this))return this.f&=-2,!0;var e=N;try{pt(this),N=this;var n=this.x();(16&this.f||this.v!==n||this.i===0)&&(this.v=n,this.f&=-17,this.i++)}catch(t){this.v=t,this.f|=16,this.i++}return N=e,mt(this),this.f&=-2,!0};he.prototype.S=function(e){if(this.t===void 0){this.f|=36;for(var n=this.s;n!==void 0;n=n.n)n.S.S(n)}x.prototype.S.call(this,e)};he.prototype.U=function(e){if(this.t!==void 0&&(x.prototype.U.call(this,e),this.t===void 0)){this.f&=-33;for(var n=this.s;n!==void 0;n=n.n)n.S.U(n)}};he.prototype.N=function(){if(!(2&this.f)){this.f|=6;for(var e=this.t;e!==void 0;e=e.x)e.t.N()}};Object.defineProperty(he.prototype,"value",{get:function(){if(1&this.f)throw new Error("Cycle detected");var e=ft(this);if(this.h(),e!==void 0&&(e.i=this.i),16&this.f)throw this.v;return this.v}});function be(e,n){return new he(e,n)}function gt(e){var n=e.j;if(e.j=void 0,typeof n=="function"){ne++;var t=N;N=void 0;try{n()}catch(o){throw e.f&=-2,e.f|=8,Pn(e),o}finally{N=t,on()}}}function Pn(e){for(var n=e.s;n!==void 0;n=n.n)n.S.U(n);e.x=void 0,e.s=void 0,gt(e)}function Ro(e){if(N!==this)throw new Error("Out-of-order effect");mt(this),N=e,this.f&=-2;try{8&this.f&&Pn(this)}finally{on()}}function we(e,n){this.x=e,this.j=void 0,this.s=void 0,this.u=void 0,this.f=32,this.name=n?.name,xe&&xe.push(this)}we.prototype.c=function(){var e=this.S();try{if(8&this.f||this.x===void 0)return;var n=this.x();typeof n=="function"&&(this.j=n)}finally{e()}};we.prototype.S=function(){if(1&this.f)throw new Error("Cycle detected");this.f|=1,this.f&=-9,gt(this),pt(this),ne++;var e=N;return N=this,Ro.bind(this,e)};we.prototype.N=function(){2&this.f||(this.f|=2,this.u=Pe,Pe=this)};we.prototype.d=function(){this.f|=8,1&this.f||Pn(this)};we.prototype.dispose=function(){this.d()};function E(e,n){var t=new we(e,n);try{t.c()}catch(a){throw t.d(),a}var o=t.d.bind(t);return o[Symbol.dispose]=o,o}var pe,R,On,_t,Dn=Object.is,rn=0,Nt=[],In=[],L=k,vt=L.__b,yt=L.__r,bt=L.diffed,wt=L.__c,kt=L.unmount,Tt=L.__;function Fe(e,n){L.__h&&L.__h(R,e,rn||n),rn=0;var t=R.__H||(R.__H={__:[],__h:[]});return e>=t.__.length&&t.__.push({}),t.__[e]}function M(e){return rn=1,xo(Mt,e)}function xo(e,n,t){var o=Fe(pe++,2);if(o.t=e,!o.__c&&(o.__=[t?t(n):Mt(void 0,n),function(i){var s=(o.__N||o.__)[0],l=o.t(s,i);Dn(s,l)||(o.__N=[l,o.__[1]],o.__c.setState({}))}],o.__c=R,!R.__f)){R.__f=!0;var a=R.shouldComponentUpdate;R.shouldComponentUpdate=function(i,s,l){var f=this.__H;if(!f)return!0;var p=!1,d=this.props!=i;if(f.__.some(function(g){g.__N&&(p=!0,Dn(g.__[0],g.__N[0])||(d=!0))}),a){var m=a.call(this,i,s,l);return p?m||d:m}return!p||d}}return o.__}function F(e,n){var t=Fe(pe++,3);!L.__s&&En(t.__H,n)&&(t.__P=!0,t.__=e,t.u=n,R.__H.__h.push(t))}function an(e,n){var t=Fe(pe++,4);!L.__s&&En(t.__H,n)&&(t.__P=!1,t.__=e,t.u=n,R.__h.push(t))}function U(e){return rn=5,sn(function(){return{current:e}},[])}function sn(e,n){var t=Fe(pe++,7);return En(t.__H,n)&&(t.__=e(),t.__H=n),t.__}function un(){var e=Fe(pe++,11);if(!e.__){for(var n=R.__v;!n.__m&&n.__;)n=n.__;var t=n.__m||(n.__m=[0,0]);e.__="P"+t[0]+"-"+t[1]++}return e.__}function Po(){var e;do{for(;e=In.shift();)try{Ie(e)}catch(t){L.__e(t,{__:(e=e.__P)&&e.__v})}for(;e=Nt.shift();){var n=e.__H;if(e.__P&&n)try{n.__h.some(Ie),n.__h.some(Fn),n.__h=[]}catch(t){n.__h=[],L.__e(t,e.__v)}}}while(In.length)}L.__b=function(e){R=null,vt&&vt(e)},L.__=function(e,n){e&&n.__k&&n.__k.__m&&(e.__m=n.__k.__m),Tt&&Tt(e,n)},L.__r=function(e){yt&&yt(e),pe=0;var n=(R=e.__c).__H;n&&(On==R?R.__h=[]:(n.__h.some(Ie),n.__h.some(Fn),pe=0),n.__h=[],n.__.some(function(t){t.__N&&(t.__=t.__N),t.u=t.__N=void 0})),On=R},L.diffed=function(e){bt&&bt(e);var n=e.__c;n&&n.__H&&(n.__H.__h.length&&Ct(Nt.push(n)),n.__H.__.some(function(t){t.u&&(t.__H=t.u)})),On=R=null},L.__c=function(e,n){n.some(function(t){try{t.__h.some(Ie),t.__h=t.__h.filter(function(o){return!o.__||Fn(o)})}catch(o){t.__h=[function(){throw o}]}}),wt&&wt(e,n)},L.unmount=function(e){kt&&kt(e);var n,t,o=e.__c;o&&o.__H&&(o.__H.__.some(function(a){try{if(a.__P&&a.__c){if(t===void 0){for(t=e.__;t&&(!t.__c||!t.__c.__P);)t=t.__;t=t&&t.__c}a.__P=t,Ct(In.push(a))}else Ie(a)}catch(i){n=i}}),o.__H=void 0,n&&L.__e(n,o.__v))};var St=typeof requestAnimationFrame=="function";function Oo(e){var n,t=function(){clearTimeout(o),St&&cancelAnimationFrame(n),setTimeout(e)},o=setTimeout(t,35);St&&(n=requestAnimationFrame(t))}function Ct(e){e!=1&&_t==L.requestAnimationFrame||((_t=L.requestAnimationFrame)||Oo)(Po)}function Ie(e){var n=R,t=e.__c;typeof t=="function"&&(e.__c=void 0,t()),R=n}function Fn(e){var n=R;e.__c=e.__(),R=n}function En(e,n){return!e||e.length!=n.length||n.some(function(t,o){return!Dn(t,e[o])})}function Mt(e,n){return typeof n=="function"?n(e):n}var At,cn,ln,Do=typeof window<"u"&&!!window.__PREACT_SIGNALS_DEVTOOLS__;var Lt=[];E(function(){At=this.N})();function ke(e,n){k[e]=n.bind(null,k[e]||function(){})}function Ee(e){if(ln){var n=ln;ln=void 0,n()}ln=e&&e.S()}function Rt(e){var n=this,t=e.data,o=Fo(t);o.name="ReactiveDom",o.value=t;var a=sn(function(){for(var l=n,f=n.__v;f=f.__;)if(f.__c){f.__c.__$f|=4;break}var p=be(function(){var u=o.value.value;return u===0?0:u===!0?"":u||""}),d=be(function(){return!Array.isArray(p.value)&&!Cn(p.value)}),m=E(function(){if(this.N=xt,d.value){var u=p.value;l.__v&&l.__v.__e&&l.__v.__e.nodeType===3&&(l.__v.__e.data=u)}}),g=n.__$u.d;return n.__$u.d=function(){m(),g.call(this)},[d,p]},[]),i=a[0],s=a[1];return i.value?s.peek():s.value}Rt.displayName="ReactiveTextNode";Object.defineProperties(x.prototype,{constructor:{configurable:!0,value:r(I,null).constructor},type:{configurable:!0,value:Rt},props:{configurable:!0,get:function(){var e=this;return{data:{get value(){return e.value}}}}},__b:{configurable:!0,value:1}});ke("__b",function(e,n){if(Ee(),cn=void 0,typeof n.type=="string"){var t,o=n.props;for(var a in o)if(a!=="children"){var i=o[a];i instanceof x&&(t||(n.__np=t={}),t[a]=i,o[a]=i.peek())}}e(n)});ke("__r",function(e,n){if(e(n),n.type!==I){Ee();var t,o=n.__c;o&&(o.__$f&=-2,(t=o.__$u)===void 0&&(o.__$u=t=(function(a,i){var s;return E(function(){s=this},{name:i}),s.c=a,s})((function(a){return function(){var i;Do&&((i=this.y)==null||i.call(this)),a.__$f|=1,a.setState({})}})(o),typeof n.type=="function"?n.type.displayName||n.type.name:""))),cn=o,Ee(t)}});ke("__e",function(e,n,t,o){Ee(),cn=void 0,e(n,t,o)});ke("diffed",function(e,n){Ee(),cn=void 0;var t;if(typeof n.type=="string"&&(t=n.__e)){var o=n.__np,a=n.props,i=t.U;if(i)for(var s in i){var l=i[s];l===void 0||o&&s in o||(l.d(),i[s]=void 0)}if(o){i||(i={},t.U=i);for(var f in o){var p=i[f],d=o[f];p===void 0?(p=Io(t,f,d,a),i[f]=p):p.o(d,a)}}}e(n)});function Io(e,n,t,o){var a=n in e&&e.ownerSVGElement===void 0,i=T(t);return{o:function(s,l){i.value=s,o=l},d:E(function(){this.N=xt;var s=i.value.value;o[n]!==s&&(o[n]=s,a?e[n]=s:s!=null&&(s!==!1||n[4]==="-")?e.setAttribute(n,s):e.removeAttribute(n))})}}ke("unmount",function(e,n){if(typeof n.type=="string"){var t=n.__e;if(t){var o=t.U;if(o){t.U=void 0;for(var a in o){var i=o[a];i&&i.d()}}}var s=n.__np;if(s){var l=n.props;for(var f in s)l[f]=s[f]}n.__np=void 0}else{var p=n.__c;if(p){p.__$f|=8;var d=p.__$u;d&&(p.__$u=void 0,d.d())}}e(n)});ke("__h",function(e,n,t,o){o<3&&(n.__$f|=2),e(n,t,o)});ye.prototype.shouldComponentUpdate=function(e,n){if(this.__R)return!0;var t=this.__$u,o=t&&t.s!==void 0;for(var a in n)return!0;if(this.__f||typeof this.u=="boolean"&&this.u===!0){var i=2&this.__$f;if(!(o||i||4&this.__$f)||1&this.__$f)return!0}else if(!(o||4&this.__$f)||3&this.__$f)return!0;for(var s in e)if(s!=="__source"&&e[s]!==this.props[s])return!0;for(var l in this.props)if(!(l in e))return!0;return!1};function Fo(e,n){return sn(function(){return T(e,n)},[])}var Eo=function(e){queueMicrotask(function(){queueMicrotask(e)})};function Uo(){Oe(function(){for(var e;e=Lt.shift();)At.call(e)})}function xt(){Lt.push(this)===1&&(k.requestAnimationFrame||Eo)(Uo)}var $=new URL("..",import.meta.url);function Ot(){let e=location.pathname;return e.startsWith($.pathname)?e.slice($.pathname.length):""}var Pt=document.querySelector("link[rel=icon]");Pt&&(Pt.href=new URL("icon.svg",$).href);var Ue=T(Ot()),Dt=T(location.search),It=be(()=>new URLSearchParams(Dt.value));function Un(){Oe(()=>{Ue.value=Ot(),Dt.value=location.search})}addEventListener("popstate",Un);var dn;function Jr(e){dn=e}function $o(e,n=!1){if(dn&&!dn())return;dn=void 0;let t=new URL(e,$);n?history.replaceState(null,"",t):history.pushState(null,"",t),Un(),n||(scrollTo(0,0),requestAnimationFrame(()=>document.querySelector("h1")?.focus({preventScroll:!0})))}function W(e){let n=new URLSearchParams(location.search);for(let[o,a]of Object.entries(e))a?n.set(o,a):n.delete(o);let t=n.toString();history.replaceState(null,"",location.pathname+(t?"?"+t:"")),Un()}function Y(e){return new URL(e,$).pathname+new URL(e,$).search}function Kr(e,n){let t=e.split("/"),o=n.replace(/\/$/,"").split("/");if(t.length!==o.length)return;let a={};for(let[i,s]of t.entries()){let l=o[i]??"";if(s.startsWith(":")){if(!l)return;a[s.slice(1)]=decodeURIComponent(l)}else if(s!==l)return}return a}document.addEventListener("click",e=>{if(e.defaultPrevented||e.button!==0||e.metaKey||e.ctrlKey||e.shiftKey||e.altKey)return;let n=e.target.closest?.("a");if(!(!n||n.target||n.hasAttribute("download")||n.origin!==location.origin)&&!(!n.pathname.startsWith($.pathname)||n.pathname.startsWith($.pathname+"assets/")||n.pathname.endsWith(".txt"))){if(e.preventDefault(),n.hash&&n.pathname===location.pathname){document.getElementById(n.hash.slice(1))?.scrollIntoView();return}$o(n.pathname.slice($.pathname.length)+n.search)}});function Ft(e){try{return localStorage.getItem(e)}catch{return null}}function Et(e,n){try{localStorage.setItem(e,n)}catch{}}function Go(){let e=Ft("xxlwheel.lang");return e==="zh-CN"||e==="en"?e:navigator.languages.some(n=>n.toLowerCase().startsWith("zh"))?"zh-CN":"en"}function Bo(){let e=Ft("xxlwheel.theme");return e==="light"||e==="dark"?e:"system"}var O=T(Go()),me=T(Bo());E(()=>{document.documentElement.lang=O.value,Et("xxlwheel.lang",O.value)});E(()=>{document.documentElement.dataset.theme=me.value,Et("xxlwheel.theme",me.value)});var G=class extends Error{constructor(t,o,a,i={}){super(Ho({message:a,messageZh:i.messageZh}));this.status=t;this.code=o;this.problems=i.problems,o==="invalid"&&(this.field=i.params?.field??/^([A-Za-z.]+)(\[\d+\])? (is|are|has|have|contains?|must)\b/.exec(a)?.[1])}status;code;field;problems};function Ho(e){return O.value==="zh-CN"&&e.messageZh||e.message}var ge=T(!1),q=T(!1),fn=T(0),$n="xxlwheel.token",se=sessionStorage.getItem($n)??"",Ut=/^#token=(.+)$/.exec(location.hash)?.[1],Wo=Ut?zo(decodeURIComponent(Ut)):void 0;async function zo(e){history.replaceState(null,"",location.pathname+location.search);let n=se?{Authorization:"Bearer "+se}:{},o=await(await fetch(new URL("../api/v1/session",$),{headers:n,cache:"no-store"}).catch(()=>{}))?.json().catch(()=>{});o&&!o.kind&&$e(e)}function $e(e){se=e,e?sessionStorage.setItem($n,e):sessionStorage.removeItem($n)}function $t(){return se!==""}function qo(e,n){let t={...n},o=e.slice(e.indexOf(" ")+2).replace(/\{(\w+)\}/g,(i,s)=>{let l=t[s];return delete t[s],encodeURIComponent(String(l))}),a=new URL("../api/v1/"+o,$);for(let[i,s]of Object.entries(t))s!==void 0&&s!==""&&s!==!1&&a.searchParams.set(i,String(s)),s===!1&&i==="running"&&a.searchParams.set(i,"false");return a}async function D(e,n,t,o){return await(await hn(e,n,t,o)).json().catch(()=>{})}async function ea(e,n,t,o,a){let s=(await hn(e,n,t,a)).body.pipeThrough(new TextDecoderStream).getReader(),l="";try{for(;;){let{value:f,done:p}=await s.read();if(p)return;let d=(l+f).split(`
`);l=d.pop();for(let m of d)m&&o(JSON.parse(m))}}catch(f){throw a?.aborted?f:new G(0,"unreachable",String(f.message))}}function Gt(){let e=0;for(let n of se)e=Math.imul(e,31)+n.charCodeAt(0)|0;return se&&String(e)}async function hn(e,n,t,o,a){await Wo;let i=e.slice(0,e.indexOf(" ")),s={...a};se&&(s.Authorization="Bearer "+se),t!==void 0&&(s["Content-Type"]="application/json");let l=Date.now(),f;try{f=await fetch(qo(e,n),{method:i,headers:s,signal:o,cache:"no-store",body:t===void 0?void 0:JSON.stringify(t)})}catch(g){throw o?.aborted?g:(ge.value=!0,new G(0,"unreachable",String(g.message)))}ge.value=f.status===502&&!f.headers.get("Content-Type")?.startsWith("application/json");let p=Date.parse(f.headers.get("Date")??"");if(p){let g=p+500-(l+Date.now())/2;fn.value=Math.abs(g)<1500?0:g}if(f.ok)return f;let d=await f.json().catch(()=>{});f.status===401&&(q.value=!0);let m=d;throw new G(f.status,m?.code??"internal",m?.message??f.statusText,m)}var Bt={"":{"":`Cancel|取消
Close|关闭
Try again|重试
Sending failed|告警失败
Not needed|无需告警
Open|待告警
Sent|已告警
Answer|返回
Body|请求体
The line was copied|已复制
Copy|复制
Download openapi.json|下载 openapi.json
Search in calls|搜索接口
Everything this console does is one of these calls. $TOKEN is a personal token; My account makes one.|本控制台的所有操作都通过以下接口完成。$TOKEN 为个人令牌，可在个人中心创建。
The browser lets no page copy over plain HTTP. Select the line and copy it.|浏览器不允许通过普通 HTTP 页面复制，请选中该行手动复制。
No call matches|没有匹配的接口
Parameters|参数
required|必填
All objects|全部对象
Broken at row {id}|第 {id} 行起不一致
(empty)|（空）
from {address}|来自 {address}
Object|对象
Nothing was changed|暂无变更
Unchanged|完整
Each row holds the hash of the row before.|每一行都包含前一行的哈希。
Add a year|添加年份
built in|内置
Edit {name}|编辑 {name}
New calendar|新增日历
No calendars|暂无日历
Days without work|休息日
Delete {name}?|删除 {name}？
A calendar that a job names cannot be deleted. One that is built in takes its place again.|被任务使用的日历无法删除；同名内置日历将恢复生效。
Calendar {name}|日历 {name}
Source|来源
Weekend|周末
Make-up days|调休上班日
Years|年份
Time|时间
Delete|清理
All|所有日志
Counting …|正在统计……
Runs that have not ended, and failures that are not reported yet, stay.|未结束的日志和尚未告警的失败日志会保留。
All but the newest {n}|最新 {n} 条以外的日志
Runs of {name}|{name} 的日志
Delete runs|清理日志
Which|清理方式
Older than a year|一年之前的日志
all|全部
match case|区分大小写
current match|当前匹配
Find|查找
Go|跳转
Go to line|跳转到行
next|下一个
on line|位于行
previous|上一个
regular expression|正则表达式
Replace|替换
replace all|全部替换
replace|替换
replaced $ matches|已替换 $ 处
$ unchanged lines|$ 行未变
whole words|全字匹配
This job runs a handler|该任务运行的是处理器
It has no source here. Give the job a script type to write one.|它在这里没有源码。将任务改为脚本类型后即可编写。
Somebody saved another version while you were typing.|在您编辑期间，有人保存了另一个版本。
Compare|对比
Compare {remark}|对比 {remark}
Comparison|版本对比
Somebody saved another version meanwhile: {remark}. On the left is what they saved, on the right what you typed.|期间有人保存了另一个版本：{remark}。左侧是对方保存的内容，右侧是您编辑的内容。
Discard|放弃修改
In the editor, not saved|编辑器中（未保存）
End the comparison|结束对比
In use|使用中
Save mine on top|以我的版本覆盖保存
Tab indents. Esc and then Tab leaves the editor. Ctrl F searches.|Tab 缩进；先按 Esc 再按 Tab 离开编辑器；Ctrl F 查找。
No remark|无备注
No versions yet|暂无版本
The first change of the source also stores what it was before.|首次修改源码时，也会保存修改前的内容。
Read only: changing scripts needs the role coder|只读：修改脚本需要“脚本”角色
Remark|备注
What this version changes, in 4 to 100 characters.|说明本次修改的内容，4 到 100 个字符。
The remark must have 4 to 100 characters.|备注必须为 4 到 100 个字符。
Restore|恢复
Restore {remark}|恢复 {remark}
The source “{remark}” of {at} is used again, as a new version. The present one stays in the list.|将 {at} 的源码“{remark}”作为新版本重新启用，当前版本保留在列表中。
Restore this version?|恢复该版本？
The version was restored|版本已恢复
Both are the same.|两者相同。
Save|保存
Save a new version|保存新版本
Saved|已保存
A new version was saved|新版本已保存
Take theirs|采用对方版本
Insert a template|插入模板
Not saved|未保存
Versions|版本
The newest 30 are kept|保留最近 30 个
After|修改后
Before|修改前
Field|字段
Drain|排空
Drain {address}|排空 {address}
{address} gets no new runs|{address} 不再接收新的执行
drained|排空中
No new run goes there; those in progress finish.|不再向其分派新的执行，进行中的执行会继续完成。
Send runs to {address} again|恢复 {address}
New runs go there again.|将重新向其分派执行。
{address} gets runs again|{address} 已恢复接收执行
Each time depends on the end of a run. These assume that runs take no time.|实际时间取决于上次执行何时结束，此处假定执行耗时为零。
{days} days with {times} fires within a year|一年内 {days} 天共触发 {times} 次
Clock change|时钟调整
Type a schedule to see what it does|填写调度配置后显示触发时间
It never fires.|不会触发。
Next {n} fires|接下来 {n} 次触发
It fires by hand only|仅手动触发
skips {times}|跳过 {times}
Dry run|触发预览
Busiest quarter of an hour: {at}|最繁忙时段：{at}
What is counted|统计口径
Fires|触发次数
Run time|运行时长
{fires} fires of {jobs} jobs, {time} of run time|{jobs} 个任务共触发 {fires} 次，预计运行 {time}
How far ahead|预测范围
Jobs in this quarter of an hour|该时段的任务
Nothing is due|没有待触发的任务
Schedules that are off add nothing here.|已停止的任务不计入预测。
Busiest: {at}, {value}|峰值：{at}，{value}
Quarter of an hour|时段
Advanced|高级配置
Back|返回
Base|基础配置
Beyond XXL-JOB|XXL-JOB 之外的设置
An empty field leaves the default. A Java admin beside this scheduler neither sees nor damages these.|留空则使用默认值。并存的 Java 调度中心不会看到或改动这些设置。
The schedule does not fire on its days without work.|休息日不触发。
Triggered when a run succeeds; ids with commas.|执行成功后触发，多个 ID 用逗号分隔。
Choose|请选择
Nothing was saved. These fields differ; what changed since you opened the form is marked. Take what is saved, or continue with it and your own changes on top, then save again.|未保存任何修改。以下字段不同，打开表单后的改动已标出。可采用已保存的内容，或在其上合并您的修改，再次保存。
{name} (copy)|{name}（副本）
Create|创建
{name} was created. It is off.|{name} 已创建，处于停止状态。
Default|默认
Edit job|更新任务
Several with commas.|多个地址用逗号分隔。
Leave without saving the changes?|修改尚未保存，确定离开？
Continue with mine on top|合并我的修改
No|否
None|无
{text} is not a whole number.|{text} 不是整数。
Begin with|常用表达式
Review changes|查看修改
Save these changes?|保存以下修改？
{name} was saved|{name} 已保存
Words by which the job is found, separated by commas.|用于查找任务的标签，以逗号分隔。
Task|任务配置
Saved|已保存
0 means no limit.|0 表示不限制。
Yes|是
Yours|您的
Empty means the scheduler's.|留空则使用调度中心的时区。
Above|上级
The scheduler's clock, in {zone}|调度中心时钟，时区 {zone}
Keyboard shortcuts|键盘快捷键
Pages|页面
Menu|菜单
Search|搜索
Sign out|退出登录
Skip to content|跳到正文
Theme: {theme}|主题：{theme}
Show all jobs|显示全部任务
Chosen|当前任务
Dashed line: not triggered, because the parent failed|虚线：父任务失败，未触发
{jobs} jobs, {failed} failed last|{jobs} 个任务，{failed} 个最近一次失败
Layer|层级
Not triggered with it|随之不触发
#{id} does not exist|#{id} 不存在
There are more than 5,000 jobs with children. The rest is left out: choose a job.|带子任务的任务超过 5,000 个，其余未显示：请选择一个任务。
Never ran|从未运行
No job has child jobs|没有带子任务的任务
This job has no child or parent jobs|该任务没有子任务或父任务
Give a job child jobs in its form: they run each time it succeeds.|在任务表单中填写子任务：任务每次成功后会触发它们。
Picture of the graph, scrolls|任务依赖图，可滚动
{n}: What fails with {name}|{n}: {name} 失败的影响
Fail with it|失败影响
Address|地址
Executors|执行器地址
One on each line.|每行一个地址。
Answers|正常
Answer|探测
What the executors register as; 4 to 64 characters.|执行器注册所用名称，4 至 64 个字符。
Automatic|自动注册
Does not answer|无响应
Release|版本
By hand|手动录入
New executor|新增执行器
No groups of executors|暂无执行器
None registered|无在线机器
No application has registered as {app} within 90 seconds.|90 秒内没有应用以 {app} 注册。
A group is made once for each application that runs jobs.|每个运行任务的应用对应一个执行器。
Its own|独立令牌
Token of its own|独立令牌
Probe|探测
Asking|探测中
A group that has jobs is not deleted.|仍有任务的执行器不能删除。
{name} was deleted|{name} 已删除
Round trip|往返耗时
Search by name or app name|按名称或 AppName 搜索
The scheduler's|全局令牌
Token|令牌
8 to 255 characters. Empty means that the executors send the scheduler's.|8 至 255 个字符。留空则使用全局令牌。
Empty leaves the token as it is.|留空则保持现有令牌不变。
Registration|注册方式
Each call of the API, with a line for curl.|每个接口的说明与 curl 示例。
Each change: who made it, when, from where, and each field before and after.|每次变更的操作人、时间、来源，以及各字段修改前后的值。
The applications that run jobs, and their addresses. Executors register themselves every 30 seconds.|运行任务的应用及其地址。执行器每 30 秒自动注册一次。
How many fires and how much run time to expect, by quarter of an hour, for a day or a week.|未来一天或一周内，每十五分钟预计的触发次数与运行时长。
Which jobs trigger which, their last results, and what is not triggered when one fails.|任务之间的触发关系、最近结果，以及某个任务失败时不会被触发的任务。
The console shows what the API has, and nothing else: what a page can do, a script can do. Press ? for the keys.|控制台只使用管理 API：页面能做的，脚本都能做。按 ? 查看快捷键。
All jobs. A switch starts or stops a schedule; a job can run now whether it is on or off.|全部任务。开关用于启动或停止调度；无论启停，任务都可以执行一次。
Licences of what this page is made of|本页面所用组件的许可证
Your roles, password, sessions and personal tokens.|您的权限、密码、会话和个人令牌。
The schedulers that share the store. Each plans a part of the jobs; when one dies, the others take its part.|共享同一存储的调度节点。每个节点负责一部分任务；节点宕机后由其余节点接管。
What is wrong now, what fires next, and the results of the last days.|当前异常、即将触发的任务，以及最近几天的结果。
Each run with its result, and what it wrote.|每次调度的结果与执行日志。
Pauses, calendars, alarm channels, how long what is kept, and what the scheduler is.|暂停、日历、告警渠道、数据保留时间，以及调度中心的版本信息。
Jobs as a file: exported, and imported once you have seen what would change.|以文件导出任务；导入前先预览将发生的变更。
Who may sign in, and what each may do in which executor group.|可登录的用户及其在各执行器中的权限。
Edit|编辑
Last fire|上次触发
Latest runs|最近执行
Job|任务
It has not run yet|尚未执行过
Next fires|下次执行时间
None|不限制
Off|已停止
Job|任务
Its runs are deleted with it. This cannot be undone.|其调度日志将一并删除，且无法恢复。
State|调度状态
Changes|变更记录
Code|源码
Misfires|调度过期
Runs|调度日志
State|概况
Timeline|时间线
Why|原因分析
Parts of the job|任务详情
In words|含义
The scheduler's|调度中心时区
All executors|全部执行器
All tags|全部标签
Any last result|全部最近结果
Details of {name}|{name} 的详情
Last result|最近结果
New job|新增任务
No jobs yet|暂无任务
A job says which handler runs, when, and on which executors.|任务规定由哪个 JobHandler、在何时、于哪些执行器上运行。
Off|停止
On|运行中
All about this job|查看完整信息
Run {name} now|执行一次 {name}
Runs of {name}|{name} 的调度日志
Search in|搜索范围
{name} is on|{name} 已启动
{name} is off|{name} 已停止
Schedule of {name}|{name} 的调度开关
Select the row|选择当前行
Details beside the list|在列表旁显示详情
Edit the job|编辑任务
This list|显示本列表
Open the row|打开当前行
Find a page or a job|查找页面或任务
Next and previous row|下一行、上一行
Run the job now|执行一次
Runs of the job|查看调度日志
Search on this page|在本页搜索
Actions|操作
Clear filters|清除筛选
Next|下一页
Nothing matches|没有符合条件的数据
Pages of the list|列表分页
Previous|上一页
{from} to {to}|第 {from} 至 {to} 条
Sign in|登录
With a name|使用账号登录
With a token|使用令牌登录
Name|账号
Sign in with {name}|使用 {name} 登录
This connection is not encrypted: others may read the password on the way.|连接未加密，密码可能在传输途中被他人读取。
Name or password is wrong.|账号或密码错误。
There is no user yet. The one-time link in the scheduler's log creates the first one.|尚无用户。请使用调度中心日志中的一次性链接创建首个用户。
Access token|访问令牌
The value of --operator-token, --read-token or --access-token. It stays in this tab.|即 --operator-token、--read-token 或 --access-token 的值，仅保存在当前标签页。
This token is not accepted.|令牌无效。
Since|登录时间
The password was changed. Other sessions have ended.|密码已修改，其他会话已失效。
this one|当前会话
End the session from {from}?|结束来自 {from} 的会话？
End|结束
Its user has to sign in again.|使用该会话者需要重新登录。
The session was ended|会话已结束
New password|新密码
No sessions|暂无会话
You are not signed in as a user|当前不是以用户身份登录
Passwords, sessions and personal tokens belong to users.|密码、会话和个人令牌仅属于用户。
Old password|旧密码
Change password|修改密码
Set|已设置
Sessions|登录会话
Personal tokens|个人令牌
Last used|最近使用
First due time|首个应触发时间
Kind|类型
No misfires|没有调度过期
Each due time had a fire of its own.|每个触发时间都已触发。
Last due time|最后应触发时间
API|接口文档
Audit|操作审计
Executors|执行器管理
Load ahead|负载预测
Job graph|任务依赖
Help|帮助
Jobs|任务管理
My account|个人中心
Schedulers|调度节点
Overview|运行报表
Settings|系统设置
Export, import|导入导出
Users|用户管理
Schedulers share the work in 64 parts. A scheduler that does not renew its lease in time loses its parts to the others, with all that it had planned.|调度节点按 64 个分片分担工作。未按时续租的节点，其分片及已计划的触发由其余节点接管。
{n} ms|{n} 毫秒
When|时间
Why|原因
Clock|时钟偏差
Fast pool|快线程池
Lease until|租约到期
How parts changed hands|分片变更记录
Scheduler|节点
No scheduler holds a lease|没有持有租约的调度节点
Nothing is planned until one does.|在此之前不会触发任何任务。
{n} of 64|{n} / 64
{n} of {all}|{n} / {all}
Parts|分片
Slow pool|慢线程池
{n} waiting|等待 {n}
Overview|返回运行报表
No page has this address.|该地址没有对应的页面。
Not found|页面不存在
Needs attention|需要关注
Nothing needs attention|一切正常
Executors|在线执行器
Failed, 24 h|24 小时内失败
Latest failures|最近失败
Failed {n} times in a row.|已连续失败 {n} 次。
Late, 99 of 100|延迟 P99
Next fires|即将触发
Jobs are on, and no executor is registered.|有任务在运行，但没有在线的执行器。
No failures within 24 hours|24 小时内没有失败
Nothing is planned|没有计划中的触发
On, and never fired since it was switched on.|启动后从未触发。
Running now|正在执行
Succeeded, 24 h|24 小时内成功
Jobs on|运行中的任务
Its due time has passed and it has not fired.|已过触发时间，仍未触发。
Knows no days of {year}: only the weekend counts.|尚无 {year} 年的休息日，仅按周末计算。
Results|调度报表
Action|操作
Page or name of a job|页面或任务名称
Nothing found|没有结果
Page|页面
Every day at 02:00|每天 02:00
Every hour|每小时
Every 5 minutes|每 5 分钟
On the 1st of the month at 02:00|每月 1 日 02:00
On the last day of the month at 02:00|每月最后一天 02:00
Every Monday at 02:00|每周一 02:00
Monday to Friday at 09:00|周一至周五 09:00
Schedules do not fire while the pause lasts, and what they miss is not made up for. Runs by hand go on.|暂停期间不会按调度触发，错过的触发不会补跑；手动执行不受影响。
Pause|暂停
{name} is paused|已暂停 {name}
By|操作人
End the pause of {name}|结束暂停 {name}
Due times of the pause are not made up for.|暂停期间错过的触发不会补跑。
Let {name} fire again?|恢复 {name} 的调度？
{name} fires again|已恢复 {name} 的调度
somebody ends it|手动结束
Pause schedules|暂停调度
Nothing is paused|没有暂停
A pause keeps schedules of an executor group, or of all, from firing; each due time is recorded.|暂停期间，所选执行器（或全部）的任务不会按调度触发，每个应触发时间都有记录。
Schedules are paused ({name})|调度已暂停（{name}）
now|生效中
Pauses|暂停调度
Until|结束时间
Empty: until somebody ends it.|留空则一直持续，直到手动结束。
Executors|范围
Add a role|添加权限
Each role includes those before it: viewers read; operators start, stop, run and kill; editors change jobs; coders change scripts; administrators change executors and, for all executors, users.|后一角色包含前一角色：只读可查看；运维可启动、停止、执行和终止；编辑可修改任务；脚本可修改脚本；管理员可管理执行器，拥有全部执行器时还可管理用户。
None|无
Role|角色
Remove the role|移除权限
On these executors|机器地址
None selected: the job's own routing decides.|不选则按任务的路由策略选择。
No executor is registered.|没有在线的执行器。
For this run only.|仅用于本次执行。
Runs|查看日志
{name} was triggered|{name} 已触发
{span} after each run|每次结束后 {span}
By hand only|仅手动
Once, {at}|一次，{at}
Every {span}|每 {span}
This scheduler|调度中心
Alarm channels|告警渠道
Channel|渠道
Store's clock|存储时钟
Drain at a stop|停止时等待
The scheduler's flags decide this.|由调度中心的启动参数决定。
For ever|永久
journal|日志文件
Failures are reported nowhere|未配置告警渠道
The flags --alarm-... of serve configure mail, webhooks and chats.|通过 serve 的 --alarm-... 参数配置邮件、Webhook 与即时通讯渠道。
Fast and slow places|快、慢线程池
Kept for|数据保留
Version of the tables|表结构版本
Clock may be off by|允许的时钟偏差
Store|存储
Successes of jobs that keep failures only|仅保留失败的任务的成功日志
Send a test|发送测试
Log texts|执行日志文本
Users|用户登录
Version|版本
Create and sign in|创建并登录
Password again|确认密码
The two passwords differ.|两次输入的密码不一致。
At least 8 characters.|至少 8 个字符。
The link is valid once. The user that it creates is an administrator of all groups.|该链接仅可使用一次，所创建的用户为全部执行器的管理员。
Create the first user|创建首个用户
the newest: {is}|最新一次：{is}
none failed|没有失败
Loading|加载中
The scheduler does not answer|调度中心无响应
The scheduler does not answer. What is shown is what it said last; the page tries again by itself.|调度中心无响应。当前显示的是最后一次收到的数据，页面会自动重试。
The scheduler answers|调度中心正常
Download|下载
Complete|已结束
Search in the log|搜索日志
Follow|跟随
{n} lines, more to come|{n} 行，持续更新
{n} lines before these|此前还有 {n} 行
No line matches|没有匹配的行
Nothing was written yet|暂无输出
The run wrote nothing|没有输出
Log|执行日志
Wrap|自动换行
{n} d|{n} 天
{n} h|{n} 小时
{n} m|{n} 分
{n} s|{n} 秒
Runs|实际运行
24 hours|24 小时
Earlier|更早
All figures|全部数据
Late by more than 1 s|延迟超过 1 秒
1 hour|1 小时
6 hours|6 小时
{due} due times, {runs} runs, {failed} failed, {misfires} misfires|计划 {due} 次，运行 {runs} 次，失败 {failed} 次，调度过期 {misfires} 次
Later|更晚
30 days|30 天
There are more than 10,000 due times or runs. The rest is left out: choose a shorter time.|计划时间或运行超过 10,000 个，其余未显示，请缩短时间范围。
Nothing was due, and nothing ran|这段时间没有计划，也没有运行
Now|现在
Due|计划
The job was changed since, and no record tells how its schedule was then. The due times are those of the present schedule.|任务此后被修改过，没有记录说明当时的调度配置，因此计划时间按当前的调度配置计算。
Length of the timeline|时间范围
7 days|7 天
All my executors|本人全部执行器
All of mine|与本人相同
The token was copied|令牌已复制
The token was created|令牌已创建
Done|完成
None selected: all of yours.|未选择则为本人全部执行器。
Used for|用途
Such as the script or the machine that uses it.|例如使用它的脚本或机器。
New token|新增令牌
No tokens yet|暂无令牌
A script calls the API with a token, within the limits of the token and of your roles.|脚本使用令牌调用 API，权限不超过令牌与您的权限。
Copy it now: it is not shown again.|请立即复制，此后不再显示。
Revoke {name}?|吊销 {name}？
Revoke|吊销
Calls with this token are refused from now on.|此后使用该令牌的调用将被拒绝。
Role at most|最高角色
Accepted by the executor|执行器已接收
Alarm|告警
Claimed|已领取
Due|应触发
{span} late|延迟 {span}
No result|无结果
Not accepted|调度失败
Sending|调度中
Taken over|已接管
took {span}|耗时 {span}
Triggered|已触发
Any role|全部角色
Roles of {name}|{name} 的权限
New user|新增用户
No password|未设密码
No users yet|暂无用户
With the first user, everybody has to sign in. Make it an administrator of all executors.|创建首个用户后，所有人都需登录。请将其设为全部执行器的管理员。
New password for {name}|重置 {name} 的密码
At least 8 characters. Empty means that no password signs the user in.|至少 8 个字符。留空则不能用密码登录。
The sessions of the user end.|该用户的会话将全部失效。
Provider|单点登录
The provider grants the roles again at each sign-in.|单点登录会在每次登录时重新授予权限。
Its sessions and tokens end. One administrator of all executors has to remain.|其会话与令牌将失效。必须保留至少一名全部执行器的管理员。
Search by name|按账号搜索
Signs in by|登录方式
you|当前
Explain|分析
From {from} until before {to}|从 {from} 到 {to}（不含）
Last due time|最近一次计划时间
Nothing was due in the last 32 days.|最近 32 天没有计划时间。
Give a date and a time, such as 2026-03-01 02:00:00.|请输入日期和时间，例如 2026-03-01 02:00:00。
Nothing is known about this time|没有关于这个时间的记录
No record says what became of it.|没有记录说明当时发生了什么。
The job was changed since, and no record tells how its schedule was then. The answer is by the present schedule.|任务此后被修改过，没有记录说明当时的调度配置，因此按当前的调度配置回答。
Latest due times|近期计划时间
The rest of the message|其余信息
Time in question ({zone})|查询时间（{zone}）`},actor:{command:"command line|命令行",executor:"executor|执行器",open:"without sign-in|未登录",operator:"operator token|操作令牌",scheduler:"scheduler|调度中心",token:"token|令牌",user:"user|用户"},alarmOn:{EACH:"Each failure|每次失败",IN_A_ROW:"Several in a row|连续失败",LAST_RETRY:"After the last retry|最后一次重试失败后",NEVER:"Never|从不"},ambiguous:{PROBE:"Ask the executor|向执行器查询",RESEND:"Send again|重新发送",SKIP:"Do not send again|不再发送"},auditKind:{alarm:"Alarm tests|告警测试",calendar:"Calendars|日历",group:"Executors|执行器",job:"Jobs|任务",pause:"Pauses|暂停",run:"Run|执行",runs:"Cleared runs|日志清理",token:"Tokens|令牌",user:"Users|用户",zone:"Time zone|时区"},bulk:{addField:"Add a field|添加字段",all:"All {n} jobs that match are selected|已选择全部 {n} 个匹配的任务",bar:"Selected jobs|已选任务",cancel:"Stop here|到此为止",cancelled:"Stopped: {n} jobs have no result and are unchanged, except some that were in progress.|已中止：{n} 个任务没有结果，除正在处理的以外均未改变。",change:"Change|修改",changeTitle:"Change {n} jobs?|修改 {n} 个任务？",changes:"New values|新的值",choose:"Selection|选择",chooseAll:"Select all {n} that match|选择全部 {n} 个匹配的任务",chooseOne:"Select {name}|选择 {name}",choosePage:"Select all jobs of this page|选择本页全部任务","chosen.one":"{n} job selected|已选择 {n} 个任务","chosen.other":"{n} jobs selected|已选择 {n} 个任务",delete:"Delete|删除",deleteTitle:"Delete {n} jobs?|删除 {n} 个任务？","failed.one":"{n} job refused.|失败 {n} 个。","failed.other":"{n} jobs refused.|失败 {n} 个。",none:"Clear selection|取消选择",ok:"done|成功",paramHelp:"Empty: each job's own parameter.|留空则使用各任务自己的参数。",progress:"{n} of {total}|{n} / {total}",removeField:"Remove the field|移除字段",start:"Start|启动",startTitle:"Start {n} jobs?|启动 {n} 个任务？",stop:"Stop|停止",stopTitle:"Stop {n} jobs?|停止 {n} 个任务？","succeeded.one":"{n} job done.|成功 {n} 个。","succeeded.other":"{n} jobs done.|成功 {n} 个。",trigger:"Run now|执行一次",triggerTitle:"Run {n} jobs now?|执行 {n} 个任务？",undo:"Undo|撤销","undone.one":"{n} job taken back.|已撤销 {n} 个。","undone.other":"{n} jobs taken back.|已撤销 {n} 个。"},calendar:{"off.one":"{n} day off|休息 {n} 天","off.other":"{n} days off|休息 {n} 天","work.one":"{n} make-up day|调休上班 {n} 天","work.other":"{n} make-up days|调休上班 {n} 天"},calendarName:{cn:"Public holidays of China|中国法定节假日"},clear:{"atLeast.one":"{n} run or more is selected|将清理 {n} 条以上日志","atLeast.other":"{n} runs or more are selected|将清理 {n} 条以上日志","deleted.one":"{n} run was deleted|已清理 {n} 条日志","deleted.other":"{n} runs were deleted|已清理 {n} 条日志","months.one":"Older than {n} month|{n} 个月之前的日志","months.other":"Older than {n} months|{n} 个月之前的日志","selected.one":"{n} run is selected|将清理 {n} 条日志","selected.other":"{n} runs are selected|将清理 {n} 条日志"},confHelp:{CRON:"Seconds, minutes, hours, day, month, weekday, and the year if needed.|依次为秒、分、时、日、月、周，年可省略。",FIX_DELAY:"Seconds between the end of a run and the next.|上次执行结束到下次触发的秒数。",FIX_RATE:"Seconds between two fires.|两次触发之间的秒数。",ONCE:"An instant with its offset.|带时区偏移的时间点。"},delivery:{FAILED:"failed|失败",SENT:"sent|已发送",SKIPPED:"skipped|已跳过"},did:{DELETE:"removed|删除",POST:"created|新建",PUT:"changed|修改",backfill:"began a backfill of|补数",bulk:"bulk operation on|批量操作",cancel:"cancelled|取消",clear:"cleared|清理",copy:"copied|复制",drain:"drained|排空",end:"ended|结束",export:"exported|导出",glue:"changed the code of|修改代码",import:"imported|导入",kill:"killed|终止",password:"changed the password of|修改密码",rerun:"ran again|重跑",restore:"restored a version of|恢复版本",start:"started|启动",stop:"stopped|停止",test:"tested|测试",trigger:"triggered|执行",undrain:"undrained|取消排空"},error:{conflict:"Somebody else changed this|已被他人修改",forbidden:"You may not do this|没有权限",internal:"This did not work|操作失败",invalid:"The request was refused|请求被拒绝",not_found:"This does not exist|不存在",unauthorized:"Please sign in|请先登录",unreachable:"No answer|无响应"},executorBlockStrategy:{COVER_EARLY:"Replace the running one|覆盖之前调度",DISCARD_LATER:"Discard the new one|丢弃后续调度",SERIAL_EXECUTION:"One after the other|单机串行"},executorRouteStrategy:{BUSYOVER:"Busyover|忙碌转移",CONSISTENT_HASH:"Consistent hash|一致性HASH",FAILOVER:"Failover|故障转移",FIRST:"First|第一个",LAST:"Last|最后一个",LEAST_FREQUENTLY_USED:"Least frequently used|最不经常使用",LEAST_RECENTLY_USED:"Least recently used|最近最久未使用",RANDOM:"Random|随机",ROUND:"Round robin|轮询",SHARDING_BROADCAST:"Sharding broadcast|分片广播"},fact:{acknowledged:"Answered|应答",actor:"Who|操作人",added:"Created|创建时间",at:"Noticed|发现时间",call:"Call|调用",claimed:"Claimed|领取",count:"Alive|存活数",due:"Due|计划时间",executorAddress:"Executor|执行器地址",finished:"Ended|结束",handleCode:"Result code|执行结果码",misfireStrategy:"Misfire strategy|调度过期策略",node:"Scheduler|调度节点",now:"Now|当前时间",running:"On|已启动",scheduleConf:"Schedule|调度配置",scheduleType:"Schedule type|调度类型",scheduler:"Scheduler|调度节点",sent:"Sent|下发",state:"State|状态",store:"Store|数据库",takenOver:"Taken over|接管时间",takenOverBy:"Taken over by|接管节点",term:"Term|任期",time:"When|时间",triggerCode:"Dispatch code|调度结果码",triggerNextTime:"Next fire|下次触发",triggerTime:"Triggered|触发时间",until:"Until|截止",updated:"Changed|更新时间"},fate:{COMING:"To come|未到时间",EXCLUDED:"Day without work|非工作日",FIRED:"Fired|已触发",MISFIRE:"Misfire|调度过期",NOTHING:"No record|没有记录",OPEN:"Waits|等待中",PAUSED:"Paused|暂停"},field:{accessToken:"Token|令牌",addressList:"Addresses|执行器地址",addressType:"Registration|注册方式",alarmAfter:"Failures in a row|连续失败次数",alarmEmail:"Alarm e-mail|报警邮件",alarmOn:"Alarm|告警规则",alarmRecovered:"Report recovery|恢复通知",ambiguous:"Request without an answer|无响应的请求",appName:"App name|AppName",author:"Owner|负责人",calendar:"Calendar|日历",childJobIds:"Child jobs|子任务ID",drains:"Drained addresses|排空中的地址",executorAddress:"Address|执行器地址",executorBlockStrategy:"Block strategy|阻塞处理策略",executorFailRetryCount:"Retries|失败重试次数",executorHandler:"Handler|JobHandler",executorParam:"Parameter|任务参数",executorRouteStrategy:"Route strategy|路由策略",executorTimeout:"Time limit, seconds|任务超时时间（秒）",expires:"Ends|失效时间",glueRemark:"Remark|源码备注",glueSource:"Source|源码",glueType:"Mode|运行模式",grants:"Roles|权限",groups:"Executors|执行器",jobGroup:"Executor|执行器",jobId:"Job|任务",keepLogs:"Keep in the log|日志保留",key:"Key|键",misfireLimit:"Misfires to run|补跑上限",misfireSpacingMs:"Pause between misfires, ms|补跑间隔（毫秒）",misfireStrategy:"Misfire strategy|调度过期策略",misfireWindowMs:"Misfire after, ms|过期判定（毫秒）",name:"Name|任务描述",note:"Note|备注",order:"Order|触发编号",password:"Password|密码",retryBackoffLimitMs:"Longest pause before a retry, ms|重试间隔上限（毫秒）",retryBackoffMs:"Pause before a retry, ms|重试间隔（毫秒）",role:"Role|角色",running:"Schedule on|调度启动",scheduleConf:"Schedule|调度配置",scheduleType:"Schedule type|调度类型",settings:"Settings|扩展配置",tags:"Tags|标签",title:"Name|名称",triggerType:"Cause|触发类型",until:"Until|截止时间",userId:"User|用户",zone:"Time zone|时区"},finding:{after_run:"Counts from the last run|从上次运行结束计时",ambiguous:"Answer lost|应答丢失",bad_schedule:"Schedule unreadable|调度配置无法解析",being_sent:"Being handed over|正在下发",clocks_apart:"Clocks apart|时钟不一致",covered:"Replaced|被覆盖",drained:"Executors drained|执行器已排空",excluded:"Day without work|休息日",failed:"Failed|失败",killed:"Killed|已终止",misfire:"Misfire|调度过期",no_executor:"No executor|没有执行器",no_match:"Not in the schedule|不在调度时间内",no_place:"Waits for a place|等待线程池空位",no_record:"No record|没有记录",no_schedule:"No schedule|无调度配置",no_scheduler:"No scheduler alive|没有存活的调度节点",node_froze:"Scheduler fell silent|调度节点失去响应",not_created:"Not created yet|尚未创建",not_traced:"From another program|由其他程序下发",not_yet:"Still to come|尚未到时间",overdue:"Overdue|已超时",paused:"Paused|暂停",ran:"It ran|已运行",ran_late:"Late|触发延迟",refused:"Refused|被拒绝",refused_by_block:"Discarded|被丢弃",refused_by_route:"No suitable executor|没有合适的执行器",result_lost:"Result lost|结果丢失",running:"Running|运行中",stopped:"Schedule off|调度已停止",timed_out:"Timed out|超时",unanswered:"Outcome unknown|结果未知",unreachable:"Unreachable|无法连接"},forecast:{"fires.one":"{n} fire|触发 {n} 次","fires.other":"{n} fires|触发 {n} 次","jobs.one":"{n} job|{n} 个任务","jobs.other":"{n} jobs|{n} 个任务","unknown.one":"{n} job has never run: its run time is not included.|{n} 个任务从未运行，未计入运行时长。","unknown.other":"{n} jobs have never run: their run time is not included.|{n} 个任务从未运行，未计入运行时长。","unreadable.one":"{n} job has a schedule that cannot be read, and is left out.|{n} 个任务的调度配置无法解析，未计入预测。","unreadable.other":"{n} jobs have schedules that cannot be read, and are left out.|{n} 个任务的调度配置无法解析，未计入预测。"},glue:{BEAN:"Bean|BEAN",GLUE_GROOVY:"Groovy|GLUE(Java)",GLUE_NODEJS:"Node.js|GLUE(Nodejs)",GLUE_PHP:"PHP|GLUE(PHP)",GLUE_POWERSHELL:"PowerShell|GLUE(PowerShell)",GLUE_PYTHON:"Python|GLUE(Python3)",GLUE_PYTHON2:"Python 2|GLUE(Python2)",GLUE_SHELL:"Shell|GLUE(Shell)"},graph:{"cycles.one":"{n} group of jobs that trigger each other:|{n} 组任务互相触发：","cycles.other":"{n} groups of jobs that trigger each other:|{n} 组任务互相触发：","dependsOn.one":"{n} job leads to it.|{n} 个任务会触发它。","dependsOn.other":"{n} jobs lead to it.|{n} 个任务会触发它。","failsWith.one":"If it fails, {n} job is not triggered.|它失败时，{n} 个任务不会被触发。","failsWith.other":"If it fails, {n} jobs are not triggered.|它失败时，{n} 个任务不会被触发。"},group:{"count.one":"{n} address|{n} 个地址","count.other":"{n} addresses|{n} 个地址","jobs.one":"{n} job|{n} 个任务","jobs.other":"{n} jobs|{n} 个任务"},keepLogs:{ALL:"All runs|全部",FAILURES:"Failures only|仅失败"},lastResult:{FAIL:"Failed last|最近失败",NONE:"Never ended a run|从未执行完成",SUCCESS:"Succeeded last|最近成功"},mark:{FIRST_PASS:"first pass|首次经过",SECOND_PASS:"second pass|再次经过",SHIFTED:"shifted|顺延"},misfireKind:{excluded:"day without work|休息日",late:"late|过期",paused:"paused|暂停"},misfireStrategy:{ALL:"Run all|全部补跑",DO_NOTHING:"Do nothing|忽略",FIRE_ONCE_NOW:"Fire once now|立即执行一次",LATEST:"Run the latest|补跑最近一次"},move:{died:"Died|进程终止",drained:"Drained|人工排空",joined:"Joined|加入",lapsed:"Lease lapsed|租约过期",skewed:"Clock is off|时钟偏差过大",stopped:"Stopped|停止"},overview:{"more.one":"and {n} more|另有 {n} 项","more.other":"and {n} more|另有 {n} 项"},record:{audit:"Change {id}|变更 {id}",clock:"Clocks|时钟",fire:"Fire {id}|触发 {id}",group:"Executor|执行器",history:"Times of run {id}|运行 {id} 的时间",job:"Job|任务",lease:"Leases of the schedulers|调度节点租约",log:"Run {id}|运行 {id}",misfire:"Misfire {id}|调度过期 {id}"},role:{admin:"Administrator|管理员",coder:"Coder|脚本",editor:"Editor|编辑",operator:"Operator|运维",viewer:"Viewer|只读"},runs:{address:"Executor|执行器地址",again:"Run again|重新执行",allJobs:"All jobs|全部任务",anyCause:"Any cause|全部类型",anyDuration:"Any duration|全部耗时",anyTime:"Any time|全部时间",atLeast:"{span} and more|{span} 及以上",attempt:"attempt {n}|第 {n} 次",attemptName:"Attempt|尝试次数",cause:"Cause|触发类型",custom:"From … to …|自定义",dispatch:"Dispatch message|调度备注",duration:"Duration|耗时",facts:"Facts|详情",from:"From|开始时间",id:"Run|日志ID",kill:"Kill|终止任务",killOne:"Kill run {id}|终止调度 {id}",killText:"{name} is stopped on {address}, with all its other runs that run or wait there.|将终止 {name} 在 {address} 上正在执行或排队的全部调度。",killTitle:"Kill this run?|终止本次执行？",killed:"The run was killed|已终止",lastDay:"Last 24 hours|最近 24 小时",lastHour:"Last hour|最近 1 小时",lastMonth:"Last 30 days|最近 30 天",lastWeek:"Last 7 days|最近 7 天",late:"Late|延迟",longer:"Duration|耗时",message:"Message|执行备注",noReason:"The executor gave no reason.|执行器没有给出原因。",none:"No runs yet|暂无调度日志",parent:"Follows run|来源日志",rerun:"Run {id} was repeated|已重新执行日志 {id}",result:"Result|结果",retries:"Retries left|剩余重试次数",search:"Search in messages|搜索备注",shard:"Shard|分片参数",since:"Time|调度时间",title:"Run {id}|调度日志 {id}",to:"Until before|结束时间（不含）",today:"Today|今日",triggered:"Triggered|调度时间",why:"Why it failed|失败原因",yesterday:"Yesterday|昨日"},scheduleType:{CRON:"CRON|CRON",FIX_DELAY:"Fixed delay|固定延迟",FIX_RATE:"Fixed rate|固定速度",NONE:"None|无",ONCE:"Once|一次"},settings:{"texts.all":"of all runs|全部","texts.failures":"of failed runs|仅失败","texts.off":"not stored|不保存"},spark:{"failed.one":"{n} failed|失败 {n} 次","failed.other":"{n} failed|失败 {n} 次","runs.one":"{n} run|最近 {n} 次执行","runs.other":"{n} runs|最近 {n} 次执行"},status:{FAIL:"Failed|失败",LOST:"Result lost|结果丢失",RUNNING:"Running|进行中",SUCCESS:"Succeeded|成功",TIMEOUT:"Timed out|超时"},store:{MEMORY:"Memory|内存",MYSQL:"MySQL or MariaDB|MySQL / MariaDB",POSTGRES:"PostgreSQL|PostgreSQL",SQLITE:"SQLite|SQLite"},theme:{dark:"dark|深色",light:"light|浅色",system:"as the system|跟随系统"},token:{"days.one":"In {n} day|{n} 天后","days.other":"In {n} days|{n} 天后"},transfer:{all:"All|全部",applied:"The files were applied|已应用文件","apply.one":"Apply {n} change|应用 {n} 项变更","apply.other":"Apply {n} changes|应用 {n} 项变更",applyAction:"Apply|应用",applyText:"All of it happens in one transaction.|全部变更在一个事务中完成。",applyTitle:"Apply what is shown?|应用所示变更？",change:"Changed|修改",create:"New|新增",delete:"Deleted|删除","deletes.one":"{n} job will be deleted.|将删除 {n} 个任务。","deletes.other":"{n} jobs will be deleted.|将删除 {n} 个任务。",did:"What has changed|已变更",download:"Download YAML|下载 YAML",dryRun:"Dry run|试运行",export:"Export|导出",exportText:"A YAML file names jobs by app name and key, never by an id, so that it fits another scheduler too. It has no tokens.|YAML 文件以 AppName 和键标识任务，不含编号，因此也适用于其他调度中心。文件不含令牌。",files:"Files|文件",filesHelp:"Declarations in YAML or JSON, and the scripts that they name.|YAML 或 JSON 声明，以及其中引用的脚本。",import:"Import|导入",importText:"Groups and jobs become as declared, all or nothing. A field that is left out has its default.|执行器和任务将与声明一致，要么全部生效，要么全部不变。省略的字段取默认值。",leaveOut:"Leave out {name}|移除 {name}",problems:"The files cannot be applied|文件无法应用",prune:"Delete jobs of the same owner that the files do not name|删除同一 owner 下文件未列出的任务",same:"Everything is as declared|一切均与声明一致",takeOver:"Take over jobs that another owner has declared|接管其他 owner 声明的任务",text:"Or paste YAML here|或在此粘贴 YAML",unchanged:"{n} unchanged|{n} 项不变",withoutRunning:"Leave out whether schedules are on|不含调度的启停状态",would:"What would change|将会变更"},triggerType:{API:"API|API触发",CRON:"Schedule|Cron触发",MANUAL:"By hand|手动触发",MISFIRE:"Misfire|调度过期补偿",PARENT:"Parent job|父任务触发",RETRY:"Retry|失败重试触发"}};var Ko=["en","zh-CN"],Wt=new Map(Object.entries(Bt).flatMap(([e,n])=>Object.entries(n).flatMap(([t,o])=>o.split(`
`).map((a,i)=>[e?`${e}.${t}`:i.toString(36),a.split("|")]))));function c(e,n){let t=Wt.get(e)[Ko.indexOf(O.value)];return n?t.replace(/\{(\w+)\}/g,(o,a)=>String(n[a]??o)):t}function Gn(e){return Wt.has(e)}function Ge(e,n){let t=`${e}.${n}`;return Gn(t)?c(t):n}var Vo={en:new Intl.PluralRules("en"),"zh-CN":new Intl.PluralRules("zh-CN")},Ht=new Map;function aa(e,n){let t=Vo[O.value].select(n)==="one"?"one":"other";return c(`${e}.${t}`,{n:Be(n)})}function Be(e,n=0){let t=O.value+n,o=Ht.get(t);return o||Ht.set(t,o=new Intl.NumberFormat(O.value,{maximumFractionDigits:n})),o.format(e)}var Te=T(Date.now());setInterval(()=>{document.visibilityState==="visible"&&(Te.value=Date.now()+fn.value)},1e3);var B=T(""),Se=Intl.DateTimeFormat().resolvedOptions().timeZone;function Jt(e,n){let t=new Map;return o=>{let a=t.get(o);return a===void 0&&(t.size>=e&&t.clear(),t.set(o,a=n(o))),a}}var Yo=Jt(4,e=>new Intl.RelativeTimeFormat(e,{style:"narrow",numeric:"always"})),Hn=(e,n)=>Xo(`${n}|${Math.floor(e.getTime()/1e3)}`),Xo=Jt(2e3,e=>{let n=e.lastIndexOf("|");return Zo(new Date(Number(e.slice(n+1))*1e3),e.slice(0,n))}),zt=new Map;function Zo(e,n){let t=zt.get(n);return t||(t=new Intl.DateTimeFormat("en-GB",{timeZone:n||void 0,hourCycle:"h23",year:"numeric",month:"2-digit",day:"2-digit",hour:"2-digit",minute:"2-digit",second:"2-digit",timeZoneName:"longOffset"}),zt.set(n,t)),Object.fromEntries(t.formatToParts(e).map(o=>[o.type,o.value]))}function le(e,n=B.value){let t=Hn(e,n);return`${t.year}-${t.month}-${t.day}`}function ue(e,n=B.value){let t=Hn(e,n);return`${t.hour}:${t.minute}:${t.second}`}function He(e,n=B.value){return(Hn(e,n).timeZoneName??"").replace("GMT","UTC")}function qt(e,n=B.value){return Date.parse(`${le(e,n)}T${ue(e,n)}Z`)-Math.floor(e.getTime()/1e3)*1e3}function Qo(e){return`${le(e)}T${ue(e)}`}function Ce(e){let n=Date.parse(e+"Z");if(isNaN(n))return;let t=new Date(n-qt(new Date(n-864e5)));return Qo(t).startsWith(e)?t:new Date(n-qt(t))}function pn(e){return Ce(new Date(Date.parse(le(new Date(Date.now()+fn.value))+"Z")+e*864e5).toISOString().slice(0,19))}function We(e,n=B.value){return`${le(e,n)} ${ue(e,n)} ${He(e,n)}`}function Kt(e){let n=new Date(Te.value),t=le(e);return t===le(n)?ue(e):Math.abs(e.getTime()-Te.value)<180*864e5?`${t.slice(5)} ${ue(e)}`:`${t} ${ue(e)}`}function da(e){return new Intl.DateTimeFormat(O.value,{weekday:"short",timeZone:B.value||void 0}).format(e)}function Vt(e){let n=Math.round((e.getTime()-Te.value)/1e3),t=Math.abs(n),o=Yo(O.value);return t<60?o.format(n,"second"):t<3600?o.format(Math.round(n/60),"minute"):t<86400?o.format(Math.round(n/3600),"hour"):o.format(Math.round(n/86400),"day")}function ce(e){return e<1?`${e.toFixed(1)} ms`:e<1e3?`${Math.round(e)} ms`:e<6e4?c("cp",{n:(e/1e3).toFixed(e<1e4&&e%1e3?1:0)}):e<36e5?Bn(Math.round(e/1e3),60,"co","cp"):e<864e5?Bn(Math.round(e/6e4),60,"cn","co"):Bn(Math.round(e/36e5),24,"cm","cn")}function Bn(e,n,t,o){let a=e%n;return c(t,{n:(e-a)/n})+(a?" "+c(o,{n:a}):"")}async function fa(){try{let e=await D("GET /schedule/preview",{scheduleConf:"0 0 0 * * ?",count:1}),n=e.times[0]?.at??"",t=/(Z|[+-]\d\d:\d\d)$/.exec(n)?.[1]?.replace("Z","+00:00");e.zone!=="Local"?B.value=e.zone:t&&(B.value=He(new Date(n),Se)==="UTC"+t?Se:t)}catch{}}var ze=T(!1),Wn=T(!1);function jo(e){return!!e?.closest?.("input:not([type=checkbox]), textarea, select, [contenteditable], .editor, .compare")}function Yt(e){let n=[...document.querySelectorAll("main .row-link")],t=[...new Set(n)].filter(i=>i.offsetParent);if(t.length===0)return;let o=document.activeElement?.closest("tr, li"),a=t.findIndex(i=>i===document.activeElement||o&&i.closest("tr, li")===o);t[Math.max(0,Math.min(t.length-1,a<0?0:a+e))]?.focus()}addEventListener("keydown",e=>{if((e.ctrlKey||e.metaKey)&&e.key.toLowerCase()==="k"){e.preventDefault(),ze.value=!ze.value;return}if(e.ctrlKey||e.metaKey||e.altKey||jo(e.target)||document.querySelector("dialog[open]"))return;switch(e.key){case"/":{let a=document.querySelector("main input[type=search]");a?a.focus():ze.value=!0,e.preventDefault();return}case"?":Wn.value=!0;return;case"j":return Yt(1);case"k":return Yt(-1)}if(!/^[a-z]$/.test(e.key))return;let n=`[data-key="${e.key}"]`,o=document.activeElement?.closest("tr")?.querySelector(n)??document.querySelector(`.page-head ${n}`);o&&!o.disabled&&(e.preventDefault(),o.click())});var er={overview:"M2.5 13.5h11M4 11V7.5M8 11V3.5M12 11V6",jobs:"M2.5 4h1M2.5 8h1M2.5 12h1M6 4h7.5M6 8h7.5M6 12h7.5",runs:"M8 2.5a5.5 5.5 0 1 0 5.5 5.5M8 5v3l2 1.5M13.5 2.5v3h-3",forecast:"M2.5 2.5h4v4h-4zM9.5 2.5h4v4h-4zM2.5 9.5h4v4h-4zM9.5 9.5h4v4h-4z",graph:"M5 4a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0zM14 4a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0zM9.5 12a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0zM4.5 5.2l2.7 5.3M11.5 5.2 8.8 10.5",executors:"M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01",nodes:"M8 2.2 13 5v6l-5 2.8L3 11V5zM8 8l5-3M8 8v5.8M8 8 3 5",audit:"M4 2.5h6l2.5 2.5v8.5H4zM6 7h4.5M6 10h4.5",settings:"M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM8 2v2M8 12v2M2 8h2M12 8h2M3.8 3.8l1.4 1.4M10.8 10.8l1.4 1.4M3.8 12.2l1.4-1.4M10.8 5.2l1.4-1.4",users:"M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.8 13.5c.4-2.4 2-3.8 4.2-3.8s3.8 1.4 4.2 3.8M10.5 2.8a2.4 2.4 0 0 1 0 4.4M12.4 10.3c1 .6 1.6 1.7 1.8 3.2",transfer:"M2.5 5.5h10M10 3l2.5 2.5L10 8M13.5 10.5h-10M6 8l-2.5 2.5L6 13",api:"M5.5 4 2 8l3.5 4M10.5 4 14 8l-3.5 4",help:"M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM6.2 6.3a1.8 1.8 0 1 1 2.6 1.6c-.5.3-.8.6-.8 1.3M8 11.4v.01",search:"M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.7 10.7 14 14",run:"M5 3.2v9.6l7.5-4.8z",stop:"M4 4h8v8H4z",key:"M10 9.5a3.5 3.5 0 1 0-3.3-2.3L2.5 11.4v2.1h2.6v-1.6h1.6v-1.6l1.1-1.1c.6.2 1.4.3 2.2.3zM11 5.2v.01",edit:"M3 13l.6-2.8L10.8 3l2.2 2.2-7.2 7.2zM9.5 4.3l2.2 2.2",copy:"M6 6h7.5v7.5H6zM10 6V2.5H2.5V10H6",remove:"M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9M7 7v4M9 7v4",add:"M8 3v10M3 8h10",close:"M4 4l8 8M12 4l-8 8",check:"M3 8.5l3.2 3.2L13 4.8",fail:"M4.5 4.5l7 7M11.5 4.5l-7 7",warn:"M8 2.5 14.2 13.5H1.8zM8 6.5v3.2M8 11.6v.01",clock:"M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.2 1.4",light:"M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.8v1.4M8 12.8v1.4M1.8 8h1.4M12.8 8h1.4M3.6 3.6l1 1M11.4 11.4l1 1M3.6 12.4l1-1M11.4 4.6l1-1",dark:"M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z",system:"M2.5 3h11v7.5h-11zM6 13.5h4M8 10.5v3",menu:"M2.5 4.5h11M2.5 8h11M2.5 11.5h11",user:"M8 8a2.7 2.7 0 1 0 0-5.4A2.7 2.7 0 0 0 8 8zM3 13.7c.4-2.5 2.3-4 5-4s4.6 1.5 5 4",leave:"M9.5 2.5h-6v11h6M6.5 8h7M10.5 5l3 3-3 3",probe:"M1.8 8h2.7l1.7-4.5 3 9L11 8h3.2",code:"M5.5 4 2 8l3.5 4M10.5 4 14 8l-3.5 4",download:"M8 2.5v7.5M5 7l3 3 3-3M3 13.5h10",reload:"M13.5 8A5.5 5.5 0 1 1 11.6 3.8M13.5 2.5v3h-3",filter:"M2.5 4h11M4.5 8h7M6.5 12h3",link:"M6.5 9.5l3-3M7 4.5l1.3-1.3a2.8 2.8 0 0 1 4 4L11 8.5M9 11.5l-1.3 1.3a2.8 2.8 0 0 1-4-4L5 7.5",pause:"M5.5 3.5v9M10.5 3.5v9",broadcast:"M8 8v5.5M5.5 10.2a3.5 3.5 0 1 1 5 0M3.6 12a6.2 6.2 0 1 1 8.8 0"};function H({name:e}){return r("svg",{class:"icon",viewBox:"0 0 16 16","aria-hidden":"true"},r("path",{d:er[e]}))}function Xt(){return r("svg",{class:"logo",viewBox:"0 0 24 24","aria-hidden":"true"},r("circle",{cx:"12",cy:"12",r:"9"}),r("path",{d:"M12 12V6.4M12 12l3.8 2.3M12 3v1.6M12 19.4V21M3 12h1.6M19.4 12H21"}))}function Ne({at:e,relative:n}){if(!e)return r(Me,null);let t=new Date(e),o=We(t);return B.value&&B.value!==Se&&(o+=`
${Se}: ${We(t,Se)}`),r("time",{dateTime:e,title:o},Kt(t),n&&r("small",null,Vt(t)))}var nr={SUCCESS:"check",FAIL:"fail",RUNNING:"run",WARN:"warn",IDLE:"pause"};function Qt({is:e,text:n}){return r("span",{class:"status is-"+e.toLowerCase()},r(H,{name:nr[e]??"clock"}),n??Ge("status",e))}function mn({children:e,tone:n,title:t}){return r("span",{class:"tag"+(n?" is-"+n:""),title:t??(typeof e=="string"?e:void 0)},e)}function gn({children:e}){return r("code",{class:"mono"},e)}function A({icon:e,tone:n,busy:t,children:o,shortcut:a,...i}){let s=i["aria-label"];return r("button",{type:"button",...i,disabled:i.disabled||t,class:"button"+(n?" is-"+n:"")+(o?"":" is-icon"),"data-key":a,title:i.title??(a&&s?`${s} (${a})`:s)},e&&r(H,{name:e}),o)}function Ta({icon:e,tone:n,to:t,children:o,shortcut:a,label:i}){return r("a",{class:"button"+(n?" is-"+n:"")+(o?"":" is-icon"),href:t,"data-key":a,"aria-label":i,title:i},e&&r(H,{name:e}),o)}function Sa({on:e,label:n,busy:t,disabled:o,onChange:a}){return r("button",{type:"button",class:"switch",role:"switch","aria-checked":e,"aria-label":n,"aria-busy":t,disabled:t||o,onClick:()=>a(!e)})}function _n({icon:e,title:n,children:t}){return r("div",{class:"empty"},r(H,{name:e}),r("p",{class:"empty-title"},n),t&&r("div",{class:"empty-text"},t))}function zn({error:e,retry:n}){let t="error."+e.code;return r("div",{class:"empty is-failure",role:"alert"},r(H,{name:"warn"}),r("p",{class:"empty-title"},c(["error.not_found","error.forbidden","error.unauthorized","error.unreachable","error.conflict","error.invalid"].includes(t)?t:"error.internal")),r("p",{class:"empty-text"},e.message),n&&e.code!=="not_found"&&r(A,{icon:"reload",onClick:n},c("2")))}var Zt=5e3;function Ca({text:e}){let[n,t]=M(""),o=U(-Zt);return F(()=>{let a=setTimeout(()=>{o.current=performance.now(),t(e)},o.current+Zt-performance.now());return()=>clearTimeout(a)},[e]),r("span",{class:"spoken",role:"status"},n)}function qn({rows:e=6}){return r("div",{class:"waiting",role:"status","aria-label":c("c7")},Array.from({length:e},(n,t)=>r("span",{key:t})))}function Na({call:e}){return e.error?r(zn,{error:e.error,retry:e.reload}):r(qn,null)}var Me=()=>r("span",{class:"none"},"–");function Ma({children:e}){return r("dl",{class:"facts"},e)}function Aa({name:e,children:n}){return r("div",null,r("dt",null,e),r("dd",null,n))}var J=T(void 0);async function tr(){try{J.value=await D("GET /session",{})}catch{}}E(()=>{q.value,tr()});async function Da(e,n){$e(""),J.value=await D("POST /session",{},{name:e,password:n}),q.value=!1}async function Ia(e,n,t){$e(""),J.value=await D("POST /session/first",{},{token:e,name:n,password:t}),q.value=!1}async function eo(){$e(""),await D("DELETE /session",{}),q.value=!0}var jt=["viewer","operator","editor","coder","admin"];function X(e,n){return!!J.value?.grants.some(t=>jt.indexOf(t.role)>=jt.indexOf(e)&&(n===void 0||t.group===0||t.group===n))}var or=45e3;async function no(e,n,t,o){let a=new AbortController,i=await hn(e,n,void 0,AbortSignal.any([t,a.signal]),o.last?{"Last-Event-ID":o.last}:void 0);o.begun?.();let s=i.body.pipeThrough(new TextDecoderStream).getReader(),l="",f="",p="";for(;;){let d=setTimeout(()=>a.abort(),or),{value:m,done:g}=await s.read().finally(()=>clearTimeout(d));if(g)return;let u=(l+m).split(`
`);l=u.pop();for(let _ of u)_.startsWith("data: ")?f+=_.slice(6):_.startsWith("id: ")?p=_.slice(4):_===""&&f&&(o.on(JSON.parse(f),p),f="")}}function Jn(e,n){return new Promise(t=>{if(n.aborted)return t();let o=()=>{clearTimeout(a),n.removeEventListener("abort",o),t()},a=setTimeout(o,e);n.addEventListener("abort",o)})}var K=T(!1),Vn=new Set;function ro(e){return Vn.add(e),()=>Vn.delete(e)}function Kn(e){for(let n of Vn)n(e)}function rr(e){let n=new AbortController,t=`xxlwheel.live:${$.pathname}:${e}`,o=new BroadcastChannel(t),a=!1,i="";o.onmessage=({data:f})=>{if("ask"in f)a&&o.postMessage({up:K.value});else if("up"in f){let p=f.up&&!K.value;K.value=f.up,p&&setTimeout(()=>Kn({topic:"all",id:0}))}else i=f.id,Kn(f.event)},o.postMessage({ask:!0});let s=f=>{n.signal.aborted||(K.value=f,o.postMessage({up:f}))},l=async f=>{a=!0;for(let p=1e3;!f.aborted;)try{await no("GET /events",{},f,{last:i,begun:()=>{p=1e3,s(!0)},on:(d,m)=>{i=m,Kn(d),o.postMessage({event:d,id:m})}}),await Jn(100,f)}catch(d){if(f.aborted||(s(!1),d instanceof G&&[401,403,404].includes(d.status)))break;await Jn(p*(.5+Math.random()),f),p=Math.min(2*p,3e4)}a=!1};return navigator.locks?navigator.locks.request(t,{signal:n.signal},()=>l(n.signal)).catch(()=>{}):ar(n.signal,l),()=>{n.abort(),o.close(),K.value=!1}}function ar(e,n){let t,o=()=>{if(t?.abort(),t=void 0,document.visibilityState!=="visible")return void(K.value=!1);t=new AbortController,n(AbortSignal.any([e,t.signal]))};document.addEventListener("visibilitychange",o,{signal:e}),o()}var Yn=T(!1);addEventListener("pagehide",()=>Yn.value=!0);addEventListener("pageshow",()=>Yn.value=!1);var to="",oo;E(()=>{let e=J.value,n=Yn.value||q.value||!e?"":`${e.kind}:${Gt()||e.name||""}`;n!==to&&(oo?.(),to=n,oo=n?rr(n):void 0)});var Ae=new Map,ir=60;function sr(e,n){Ae.delete(e),Ae.set(e,n),Ae.size>ir&&Ae.delete(Ae.keys().next().value)}var ao=T(0);function te(){ao.value++}var io={"GET /jobs":["job","run"],"GET /jobs/{id}":["job","run"],"GET /jobs/{id}/next":["job","run"],"GET /jobs/{id}/misfires":["misfire"],"GET /jobs/{id}/timeline":["job","run","misfire"],"GET /logs":["run"],"GET /logs/{id}":["run"],"GET /fires":["run"],"GET /groups":["group"],"GET /groups/{id}":["group"],"GET /graph":["job","run"],"GET /pauses":["pause"],"GET /tags":["job"]},ur=12e4;function lr(e,n,t){return t.topic==="all"?!0:io[e]?.includes(t.topic)?!({job:"GET /jobs/{id}",run:"GET /logs/{id}",group:"GET /groups/{id}",misfire:"",node:"",pause:""}[t.topic]===e)||t.id===0||t.id===n.id:!1}var vn=new Map,cr=40;async function dr(e,n,t,o){let a=vn.get(t);if(a&&Date.now()-a.begun<cr)try{return await a.answer}catch{if(o.aborted)throw o.reason}let i={begun:Date.now(),answer:D(e,n,void 0,o)};vn.set(t,i);try{return await i.answer}finally{vn.get(t)===i&&vn.delete(t)}}function V(e,n,t=0){let o=n&&e+JSON.stringify(n),[,a]=M(0),i=U({loading:!1}),s=U(()=>{}),l=U(()=>{}),f=ao.value,p=q.value,d=K.value&&t>0&&e in io,m=U(d);if(m.current=d,i.current.key!==o){let w=o===void 0?void 0:Ae.get(o);i.current={key:o,data:w,loading:o!==void 0}}an(()=>{if(!n||p)return;let w=new AbortController,y=0,b=0,v=!1,C=!1,S=0,Q=async()=>{if(clearTimeout(y),!v){v=!0,S=Date.now();try{let P=await dr(e,n,o,w.signal);sr(o,P),w.signal.aborted||(i.current={key:o,data:P,loading:!1})}catch(P){if(!w.signal.aborted){let Je=P instanceof G?P:new G(0,"internal",String(P));i.current={...i.current,error:Je,loading:!1}}}v=!1,!w.signal.aborted&&(a(P=>P+1),t>0&&(y=window.setTimeout(j,m.current&&!i.current.error?Math.max(t,ur):t)),C&&h())}},j=()=>{document.visibilityState==="visible"&&Q()},h=()=>{C=v,!(v||b)&&(b=window.setTimeout(()=>{b=0,j()},Math.max(50,S+t/2-Date.now())))};return s.current=()=>{Q()},l.current=h,document.addEventListener("visibilitychange",j),Q(),()=>{w.abort(),clearTimeout(y),clearTimeout(b),document.removeEventListener("visibilitychange",j)}},[o,t,f,p]),F(()=>{if(!d||!n)return;let w=ro(y=>lr(e,n,y)&&l.current());return()=>{w(),K.value||s.current()}},[d,o]);let{data:g,error:u,loading:_}=i.current;return{data:g,error:u,loading:_,reload:()=>s.current()}}function so(e,n){let[t,o]=M(e);return F(()=>{let a=setTimeout(()=>o(e),n);return()=>clearTimeout(a)},[e,n]),t}function uo(e){F(()=>{document.title=`${e} · xxlwheel`},[e])}function ja({title:e,above:n,beside:t,actions:o,children:a,wide:i}){return uo(e),r("main",{id:"main",class:i?"page is-wide":"page"},r("header",{class:"page-head"},r("div",{class:"page-title"},n&&r("nav",{"aria-label":c("4i"),class:"crumb"},r("a",{href:n.to},n.text),r("span",{"aria-hidden":"true"},"/")),r("h1",{tabIndex:-1,title:e},e),t),o&&r("div",{class:"actions"},o)),a)}function yn({title:e,beside:n,children:t,flush:o}){return r("section",{class:"panel"+(o?" is-flush":""),"aria-label":e},e&&r("header",{class:"panel-head"},r("h2",null,e),n),r("div",{class:"panel-body"},t))}function ei({label:e,tabs:n,current:t}){let o=U(null);return F(()=>{let a=o.current?.querySelector("[aria-current]");a&&(o.current.scrollLeft=a.offsetLeft+a.offsetWidth-o.current.clientWidth)},[t]),r("nav",{class:"tabs","aria-label":e,ref:o},n.map(a=>r("a",{key:a.id,href:a.to,"aria-current":a.id===t?"page":void 0},a.text,a.count!==void 0&&r("span",{class:"tab-count"},a.count))))}var qe=T([]),fr=0;function lo(e){qe.value=qe.value.filter(n=>n.id!==e)}function Z(e,n,t=!1){let o=++fr;qe.value=[...qe.value.slice(-3),{id:o,text:e,failed:t,link:n}],setTimeout(()=>lo(o),t?12e3:6e3)}function bn(e){Z(e instanceof G&&e.code==="unreachable"&&e.status===0?c("c8"):e instanceof Error?e.message:String(e),void 0,!0)}function li(){return r("div",{class:"toasts",role:"status","aria-live":"polite"},qe.value.map(e=>r("div",{key:e.id,class:e.failed?"toast is-failed":"toast"},r(H,{name:e.failed?"warn":"check"}),r("span",{class:"toast-text"},e.text),e.link&&r("a",{href:e.link.to},e.link.text),r(A,{icon:"close",tone:"quiet","aria-label":c("1"),onClick:()=>lo(e.id)}))))}var hr=[{to:"",icon:"overview",text:"92"},{to:"jobs",icon:"jobs",text:"8z"},{to:"runs",icon:"runs",text:"6r"},{to:"forecast",icon:"forecast",text:"8w"},{to:"graph",icon:"graph",text:"8x"},{to:"executors",icon:"executors",text:"8v"},{to:"nodes",icon:"nodes",text:"91"},{to:"audit",icon:"audit",text:"8u",shown:()=>X("viewer",0)},{to:"transfer",icon:"transfer",text:"94"},{to:"users",icon:"users",text:"95",shown:()=>X("admin",0)},{to:"settings",icon:"settings",text:"93"},{to:"me",icon:"user",text:"90",shown:()=>!!J.value?.name},{to:"api",icon:"api",text:"8t"},{to:"help",icon:"help",text:"8y"}],pr=()=>hr.filter(e=>!e.shown||e.shown());function mr(e){return e===""?Ue.value==="":Ue.value===e||Ue.value.startsWith(e+"/")}function gr({open:e,close:n}){return r("nav",{class:e?"rail is-open":"rail","aria-label":c("4l")},r("a",{class:"brand",href:Y(""),"aria-label":"xxlwheel",onClick:n},r(Xt,null),r("span",{class:"rail-text"},"xxlwheel")),r("div",{class:"rail-list"},pr().map(t=>r("a",{key:t.to,href:Y(t.to),title:c(t.text),"aria-current":mr(t.to)?"page":void 0,onClick:n},r(H,{name:t.icon}),r("span",{class:"rail-text"},c(t.text))))))}function _r(){let e=new Date(Te.value);return r("span",{class:"clock",title:c("4j",{zone:B.value||He(e)})},r("span",{class:"clock-day"},le(e))," ",ue(e)," ",r("span",{class:"clock-zone"},B.value||He(e)))}var Xn=["system","light","dark"];function vr({menu:e}){let n=Xn[(Xn.indexOf(me.value)+1)%Xn.length];return r("header",{class:"top"},r("span",{class:"top-menu"},r(A,{icon:"menu",tone:"quiet","aria-label":c("4m"),onClick:e})),r("button",{type:"button",class:"seek","aria-label":c("4n"),onClick:()=>ze.value=!0},r(H,{name:"search"}),r("span",{class:"seek-text"},c("4n"))),r("span",{class:"top-end"},r(_r,null),r("span",{class:ge.value?"health is-fail":"health is-success","data-live":K.value,role:"img","aria-label":c(ge.value?"c8":"ca"),title:c(ge.value?"c8":"ca")}),r("button",{type:"button",class:"button is-quiet lang",lang:O.value==="en"?"zh-CN":"en","aria-label":O.value==="en"?"中文: 切换语言":"EN: switch language",onClick:()=>O.value=O.value==="en"?"zh-CN":"en"},O.value==="en"?"中文":"EN"),r(A,{icon:me.value,tone:"quiet","aria-label":c("4q",{theme:c(`theme.${me.value}`)}),onClick:()=>me.value=n}),r("span",{class:"top-help"},r(A,{icon:"help",tone:"quiet","aria-label":c("4k"),onClick:()=>Wn.value=!0})),($t()||J.value?.kind==="user")&&!q.value&&r(I,null,J.value?.name&&r("a",{class:"who",href:Y("me")},J.value.name),r(A,{icon:"leave",tone:"quiet","aria-label":c("4o"),onClick:()=>eo().catch(bn)}))))}function Ci({children:e}){let[n,t]=M(!1);return F(()=>{let o=a=>a.key==="Escape"&&t(!1);return addEventListener("keydown",o),()=>removeEventListener("keydown",o)},[]),r("div",{class:"frame"},r("a",{class:"skip",href:"#main"},c("4p")),r(gr,{open:n,close:()=>t(!1)}),n&&r("div",{class:"veil",onClick:()=>t(!1)}),r("div",{class:"body"},r(vr,{menu:()=>t(!n)}),ge.value&&r("p",{class:"banner",role:"status"},r(H,{name:"warn"}),c("c9")),e))}function Ii({job:e,words:n}){let t=e.scheduleConf??"";switch(e.scheduleType){case"CRON":return n?r("span",{class:"cut",title:`${t}
${n}`},n," ",e.settings?.zone&&r("small",null,e.settings.zone)):r("span",{class:"inline"},r(gn,null,t),e.settings?.zone&&r("small",null,e.settings.zone));case"FIX_RATE":return r("span",null,c("be",{span:ce(Number(t)*1e3)}));case"FIX_DELAY":return r("span",null,c("bb",{span:ce(Number(t)*1e3)}));case"ONCE":return r("span",null,c("bd",{at:t&&!isNaN(Date.parse(t))?We(new Date(t)):t}))}return r("span",{class:"muted"},c("bc"))}function Zn(){let e=V("GET /groups",{}),n=new Map((e.data?.groups??[]).map(t=>[t.id,t]));return{...e,byID:n,name:t=>n.get(t)?.title||n.get(t)?.appName||(t?`#${t}`:"")}}async function Fi(e,n){try{await D(n?"POST /jobs/{id}/start":"POST /jobs/{id}/stop",{id:e.id}),Z(c(n?"7c":"7d",{name:e.name??""}))}catch(t){bn(t)}te()}function Ei(e){let n=`calendarName.${e}`;return Gn(n)?`${c(n)} (${e})`:e}function Ui({id:e,name:n}){return r("a",{href:Y(`jobs/${e}`),class:"cut",dir:"auto"},n??`#${e}`)}var co=30,yr=12;function wn(e){let{label:n,columns:t,rows:o,id:a,error:i,retry:s,empty:l,tone:f,order:p,bare:d}=e,[,m]=M(0),g=U({room:o?1/0:co,lines:[]}).current;if((!o||g.ids&&!o.some(u=>g.ids.has(a(u))))&&(g.room=co),g.ids=o?.length?new Set(o.map(a)):void 0,F(()=>{if(!o||g.room>=o.length)return;let u=setTimeout(()=>{g.room+=yr,m(_=>_+1)});return()=>clearTimeout(u)}),!o)return i?r(zn,{error:i,retry:s}):r(qn,null);if(o.length===0)return r(I,null,l);g.from!==e&&(g.lines=[]),g.from=e;for(let u of o.slice(g.lines.length,g.room))g.lines.push(r("tr",{key:a(u),"data-id":a(u),class:f?.(u)},t.map(_=>r("td",{key:_.head,class:fo(_)},_.cell(u)))));return r("div",{class:"table-box",tabIndex:d?0:-1,role:d?"group":void 0,"aria-label":d?n:void 0},r("table",{class:"table","aria-label":n},r("thead",null,r("tr",null,t.map(u=>r("th",{key:u.head,scope:"col",class:fo(u),"aria-sort":u.sort&&p?.by===u.sort?p.desc?"descending":"ascending":void 0},u.control??(u.hidden?r("span",{class:"spoken"},u.head):u.sort&&p?r("button",{type:"button",class:"sort",onClick:()=>p.set(u.sort,p.by===u.sort&&!p.desc)},u.head):u.head))))),r("tbody",null,g.lines.slice())))}function fo(e){let n=[e.from&&"from-"+e.from,e.end&&"end",e.grow&&"grow"].filter(Boolean);return n.length?n.join(" "):void 0}function qi({label:e,text:n,set:t,children:o}){return r("div",{class:"filters",role:"search"},r("input",{type:"search",placeholder:e,"aria-label":e,value:n,onInput:a=>t(a.currentTarget.value)}),o)}function ho({first:e,last:n,onBack:t,onNext:o,shown:a}){return r("nav",{class:"pager","aria-label":c("7t")},r("span",{class:"muted"},a),r("span",{class:"pager-moves"},r(A,{disabled:e,onClick:t},c("7u")),r(A,{disabled:n,onClick:o},c("7r"))))}function br({title:e,onClose:n,children:t,wide:o,side:a,fixed:i}){let s=U(null),l=un();return an(()=>{let f=document.activeElement,p=s.current;return p?.showModal(),()=>{p?.close(),f?.focus?.({preventScroll:!0})}},[]),r("dialog",{ref:s,class:"dialog"+(o?" is-wide":"")+(a?" is-side":""),"aria-labelledby":l,onCancel:f=>{f.preventDefault(),i||n()},onClick:f=>{f.target===s.current&&!i&&n()}},r("header",{class:"dialog-head"},r("h2",{id:l},e),!i&&r(A,{icon:"close",tone:"quiet","aria-label":c("1"),onClick:n})),t)}function _e({title:e,children:n,action:t,danger:o,wide:a,onClose:i,onConfirm:s}){let[l,f]=M(!1),[p,d]=M();return r(br,{title:e,wide:a,onClose:i},r("form",{onSubmit:async g=>{g.preventDefault(),f(!0),d(void 0);try{await s(),i()}catch(u){d(u instanceof G?u.message:String(u)),f(!1)}}},r("div",{class:"dialog-body"},n,p&&r("p",{class:"field-error",role:"alert"},p)),r("footer",{class:"dialog-foot"},r(A,{onClick:i},c("0")),r(A,{type:"submit",tone:o?"danger":"primary",busy:l},t))))}function Le({label:e,help:n,error:t,required:o,wide:a,children:i}){let s=un(),l=[t&&s+"-error",n&&s+"-help"].filter(Boolean).join(" ");return r("div",{class:"field"+(a?" is-wide":"")+(t?" has-error":"")},r("label",{for:s},e,o&&r("span",{class:"required","aria-hidden":"true"},"*")),at(i,{id:s,required:o,"aria-invalid":t?!0:void 0,"aria-describedby":l||void 0}),t&&r("p",{class:"field-error",id:s+"-error"},t),n&&r("p",{class:"field-help",id:s+"-help"},n))}function po({options:e,...n}){return r("select",{...n},e.map(t=>r("option",{key:t.value,value:t.value},t.text)))}function os({title:e,note:n,children:t}){return r("fieldset",{class:"form-section"},r("legend",null,e),n&&r("p",{class:"muted"},n),r("div",{class:"fields"},t))}function ms({job:e,onClose:n}){let[t,o]=M(e.executorParam??""),[a,i]=M([]),l=V("GET /groups/{id}",e.jobGroup?{id:e.jobGroup}:void 0).data?.addressList??[],f=async()=>{await D("POST /jobs/{id}/trigger",{id:e.id},{executorParam:t,addressList:a.length?a:void 0}),Z(c("ba",{name:e.name??""}),{to:Y(`runs?job=${e.id}`),text:c("b9")}),te()};return r(_e,{title:c("79",{name:e.name??""}),action:c("bulk.trigger"),onClose:n,onConfirm:f},r(Le,{label:c("field.executorParam"),help:c("b8")},r("textarea",{rows:3,class:"mono-input",value:t,onInput:p=>o(p.currentTarget.value)})),r("fieldset",{class:"checks"},r("legend",null,c("b5")),l.length===0&&r("p",{class:"muted"},c("b7")),l.map(p=>r("label",{class:"check",key:p},r("input",{type:"checkbox",checked:a.includes(p),onChange:d=>i(d.currentTarget.checked?[...a,p]:a.filter(m=>m!==p))}),r("code",null,p))),r("p",{class:"field-help"},c("b6"))))}function mo(e){return e.status==="RUNNING"&&e.triggerCode===200&&X("operator",e.jobGroup)}function go({run:e,name:n,onClose:t}){return r(_e,{title:c("runs.killTitle"),action:c("runs.kill"),danger:!0,onClose:t,onConfirm:async()=>{await D("POST /logs/{id}/kill",{id:e.id}),Z(c("runs.killed")),te()}},r("p",null,c("runs.killText",{name:n??`${c("6l")} #${e.jobId}`,address:e.executorAddress})))}var Qn=50,wr=["","RUNNING","SUCCESS","FAIL","LOST"],kr=["CRON","MISFIRE","MANUAL","PARENT","RETRY","API","BACKFILL"],_o={"1h":1,"24h":24,"7d":168,"30d":720};function Tr(e,n){return _o[e]?[new Date(Math.floor(Date.now()/6e4)*6e4-_o[e]*36e5)]:e==="custom"?[Ce(n.get("from")??""),Ce(n.get("to")??"")]:e==="today"?[pn(0)]:e==="yesterday"?[pn(-1),pn(0)]:[]}function Es({fixed:e,groups:n}){let t=It.value,o=t.get("status")??"",a=t.get("since")??"",i=e?.job??(Number(t.get("job"))||void 0),s=Number(t.get("group"))||void 0,l=t.get("type")??"",f=t.get("longer")??"",[p,d]=M(t.get("text")??""),[m,g]=M(),u=so(p,300);F(()=>{u!==(t.get("text")??"")&&W({text:u,after:void 0})},[u]);let _=(t.get("after")??"").split(".").filter(Boolean),[w,y]=Tr(a,t),b=V("GET /logs",{job:i,group:s,status:o||void 0,text:t.get("text")||void 0,triggerType:l||void 0,atLeastMs:f?Number(f):void 0,since:w?.toISOString(),before:y?.toISOString(),newest:!0,after:Number(_.at(-1))||void 0,limit:Qn},3e3),v=V("GET /jobs/{id}",!e&&i?{id:i}:void 0),C=V("GET /jobs",!e&&s?{group:s,light:!0,sort:"NAME",limit:1e3}:void 0),S=!!(o||a||!e&&i||s||l||f||t.get("text")),Q=[{head:c(e?"runs.id":"6g"),grow:!e,cell:h=>r(I,null,r("span",{class:"row-main"},r("a",{dir:"auto",class:"row-link",href:Y(`runs/${h.id}`)},e?`#${h.id}`:h.jobName??`${c("6l")} #${h.jobId}`),!e&&r("small",null,"#",h.id)),r("span",{class:"row-under"},r(Ne,{at:h.triggerTime,relative:!0}),h.tookMs!==void 0&&" · "+ce(h.tookMs)))},{head:c("runs.result"),cell:h=>r("span",{class:"inline"},r(Cr,{run:h}),h.history&&h.history.attempt>1&&r(mn,null,c("runs.attempt",{n:h.history.attempt})))},{head:c("runs.triggered"),from:"mid",cell:h=>r(Ne,{at:h.triggerTime,relative:!0})},{head:c("runs.late"),end:!0,from:"mid",cell:h=>r(Sr,{ms:h.history?.latenessMs})},{head:c("runs.duration"),end:!0,from:"mid",cell:h=>h.tookMs===void 0?r(Me,null):ce(h.tookMs)},{head:c("runs.cause"),from:"wide",cell:h=>h.history?Ge("triggerType",h.history.triggerType):r(Me,null)},{head:c("runs.address"),from:"mid",cell:h=>h.executorAddress?r(gn,null,h.executorAddress.replace(/^https?:\/\/|\/$/g,"")):r(Me,null)},{head:c("runs.message"),from:"wide",grow:!!e,cell:h=>r("span",{class:"cut muted"},Mr(h))},{head:c("7p"),hidden:!0,end:!0,cell:h=>mo(h)&&r(A,{icon:"stop",tone:"quiet","aria-label":c("runs.killOne",{id:h.id}),onClick:()=>g(h)})}],j=b.data?.logs.length??0;return r("div",{class:"stack"},r("div",{class:"filters",role:"search"},r("input",{type:"search","aria-label":c("runs.search"),placeholder:c("runs.search"),value:p,onInput:h=>d(h.currentTarget.value)}),r("div",{class:"segments",role:"group","aria-label":c("runs.result")},wr.map(h=>r("button",{key:h,type:"button","aria-pressed":o===h,onClick:()=>W({status:h,after:void 0})},h===""?c("transfer.all"):c(`status.${h}`)))),r("select",{"aria-label":c("runs.since"),value:a,onChange:h=>W({since:h.currentTarget.value,from:void 0,to:void 0,after:void 0})},r("option",{value:""},c("runs.anyTime")),r("option",{value:"1h"},c("runs.lastHour")),r("option",{value:"24h"},c("runs.lastDay")),r("option",{value:"7d"},c("runs.lastWeek")),r("option",{value:"30d"},c("runs.lastMonth")),r("option",{value:"today"},c("runs.today")),r("option",{value:"yesterday"},c("runs.yesterday")),r("option",{value:"custom"},c("runs.custom"))),a==="custom"&&["from","to"].map(h=>r("input",{key:h,type:"datetime-local","aria-label":c(`runs.${h}`),title:c(`runs.${h}`),value:t.get(h)??"",onChange:P=>W({[h]:P.currentTarget.value,after:void 0})})),r("select",{"aria-label":c("runs.cause"),value:l,onChange:h=>W({type:h.currentTarget.value,after:void 0})},r("option",{value:""},c("runs.anyCause")),kr.map(h=>r("option",{key:h,value:h},Ge("triggerType",h)))),r("select",{"aria-label":c("runs.longer"),value:f,onChange:h=>W({longer:h.currentTarget.value,after:void 0})},r("option",{value:""},c("runs.anyDuration")),["1000","10000","60000","600000","3600000"].map(h=>r("option",{key:h,value:h},c("runs.atLeast",{span:ce(Number(h))})))),n&&r("select",{"aria-label":c("field.jobGroup"),value:String(s??""),onChange:h=>W({group:h.currentTarget.value,job:void 0,after:void 0})},r("option",{value:""},c("6y")),n.map(h=>r("option",{key:h.id,value:String(h.id)},h.title||h.appName))),!!C.data?.jobs.length&&r("select",{"aria-label":c("6g"),value:String(i??""),onChange:h=>W({job:h.currentTarget.value,after:void 0})},r("option",{value:""},c("runs.allJobs")),C.data.jobs.map(h=>r("option",{key:h.id,value:String(h.id)},h.name))),!e&&i&&!C.data?.jobs.some(h=>h.id===i)&&r(A,{icon:"close",onClick:()=>W({job:void 0,after:void 0})},v.data?.name??`${c("6l")} #${i}`)),r(yn,{flush:!0},r(wn,{label:c("6r"),columns:Q,rows:b.data?.logs,id:h=>h.id,error:b.error,retry:b.reload,empty:r(_n,{icon:"runs",title:c(S?"7s":"runs.none")},S&&r(A,{onClick:()=>{d(""),W({status:"",since:"",job:"",group:"",type:"",longer:"",text:"",after:""})}},c("7q")))}),(_.length>0||b.data?.next)&&r(ho,{first:_.length===0,last:!b.data?.next,onBack:()=>W({after:_.slice(0,-1).join(".")}),onNext:()=>W({after:[..._,b.data?.next].join(".")}),shown:c("7v",{from:Be(_.length*Qn+1),to:Be(_.length*Qn+j)})})),m&&r(go,{run:m,name:m.jobName,onClose:()=>g(void 0)}))}function Sr({ms:e}){return e===void 0?r(Me,null):r("span",{class:e>1e3?"late":"muted"},ce(e))}function Cr({run:e}){return r(Qt,{is:e.status,text:e.lost?c("status.LOST"):e.handleCode===502?c("status.TIMEOUT"):void 0})}function Nr(e){if(e.status!=="FAIL"||e.triggerCode===200)return vo(e.handleMsg??"");let n=vo(e.triggerMsg);return/^result：(?:error|unknown), ([^]*?)(?:\nnext attempt：.*)?$/m.exec(n)?.[1]??n}function Mr(e){return Nr(e).split(`
`,1)[0]??""}var Ar={"&lt;":"<","&gt;":">","&#34;":'"',"&#39;":"'","&amp;":"&"};function vo(e){return e.replace(/<br\s*\/?>/g,`
`).replace(/<\/?span[^>]*>/g,"").replace(/&(lt|gt|amp|#34|#39);/g,n=>Ar[n]).trim()}function yo(){let e=Zn();return n=>n.jobGroup?e.name(n.jobGroup):c("6y")}function eu(){let e=V("GET /pauses",{limit:20},1e4),n=yo(),[t,o]=M(!1),[a,i]=M();return r(yn,{flush:!0,title:c("aw"),beside:X("operator")&&r(A,{icon:"pause",onClick:()=>o(!0)},c("ar"))},r(wn,{label:c("aw"),rows:e.data?.pauses,id:s=>s.id,error:e.error,retry:e.reload,tone:s=>s.open?void 0:"is-off",empty:r(_n,{icon:"pause",title:c("as")},c("at")),columns:[{head:c("az"),grow:!0,cell:s=>r(I,null,r("span",{class:"row-main"},r("b",{class:"cut"},n(s)),s.open&&r(mn,{tone:"warn"},c("av"))),s.note&&r("span",{class:"row-under is-note",title:s.note},s.note))},{head:c("al"),from:"mid",cell:s=>s.by},{head:c("runs.from"),from:"mid",end:!0,cell:s=>r(Ne,{at:s.from,relative:!0})},{head:c("ax"),from:"mid",end:!0,cell:s=>s.until?r(Ne,{at:s.until}):c("aq")},{head:c("7p"),hidden:!0,end:!0,cell:s=>s.open&&X("operator",s.jobGroup??0)&&r(A,{tone:"quiet",icon:"run","aria-label":c("am",{name:n(s)}),onClick:()=>i(s)})}]}),t&&r(Lr,{onClose:()=>o(!1)}),a&&r(_e,{title:c("ao",{name:n(a)}),action:c("8b"),onClose:()=>i(void 0),onConfirm:async()=>{await D("POST /pauses/{id}/end",{id:a.id}),Z(c("ap",{name:n(a)})),te()}},r("p",null,c("an"))))}function Lr({onClose:e}){let n=Zn(),t=[...X("operator",0)?[{value:"0",text:c("6y")}]:[],...[...n.byID.values()].filter(m=>X("operator",m.id)).map(m=>({value:String(m.id),text:m.title||m.appName||""}))],[o,a]=M(),[i,s]=M(""),[l,f]=M(""),p=o??t[0]?.value??"0",d=async()=>{let m=l?Ce(l.length===16?l+":00":l):void 0;await D("POST /pauses",{},{...p==="0"?{all:!0}:{jobGroup:Number(p)},note:i.trim()||void 0,until:m?.toISOString()}),Z(c("ak",{name:t.find(g=>g.value===p)?.text??""})),te()};return r(_e,{title:c("ar"),action:c("aj"),onClose:e,onConfirm:d},r("p",null,c("ai")),r(Le,{label:c("az")},r(po,{value:p,onChange:m=>a(m.currentTarget.value),options:t})),r(Le,{label:c("field.note")},r("input",{value:i,maxLength:500,onInput:m=>s(m.currentTarget.value)})),r(Le,{label:c("ax"),help:c("ay")},r("input",{type:"datetime-local",value:l,onInput:m=>f(m.currentTarget.value)})))}function nu({group:e}){let n=V("GET /pauses",{open:!0},1e4),t=yo(),o=n.data?.pauses.filter(a=>a.open&&(!e||!a.jobGroup||a.jobGroup===e))??[];return o.length===0?null:r("p",{class:"banner is-inside",role:"status"},r(H,{name:"pause"}),r("span",null,o.map((a,i)=>r(I,null,i>0&&" · ",r("bdi",null,c("au",{name:t(a)})),a.note&&r(I,null,": ",r("bdi",null,a.note))))))}var ru={scheduleType:["CRON","FIX_RATE","FIX_DELAY","ONCE","NONE"],misfireStrategy:["DO_NOTHING","FIRE_ONCE_NOW","LATEST","ALL"],glueType:["BEAN","GLUE_GROOVY","GLUE_SHELL","GLUE_PYTHON","GLUE_PYTHON2","GLUE_NODEJS","GLUE_POWERSHELL","GLUE_PHP"],executorRouteStrategy:["FIRST","LAST","ROUND","RANDOM","CONSISTENT_HASH","LEAST_FREQUENTLY_USED","LEAST_RECENTLY_USED","FAILOVER","BUSYOVER","SHARDING_BROADCAST"],executorBlockStrategy:["SERIAL_EXECUTION","DISCARD_LATER","COVER_EARLY"],ambiguous:["PROBE","SKIP","RESEND"],alarmOn:["EACH","LAST_RETRY","IN_A_ROW","NEVER"],keepLogs:["ALL","FAILURES"]},Rr=["misfireWindowMs","misfireLimit","misfireSpacingMs","retryBackoffMs","retryBackoffLimitMs","alarmAfter"],xr=["zone","calendar","ambiguous","alarmOn","keepLogs"];function au(e){let n=e.settings??{},t=o=>o?String(o):"";return{jobGroup:e.jobGroup?String(e.jobGroup):"",name:e.name??"",author:e.author??"",alarmEmail:e.alarmEmail??"",tags:(e.tags??[]).join(", "),scheduleType:e.scheduleType??"CRON",scheduleConf:e.scheduleConf??"",zone:n.zone??"",calendar:n.calendar??"",misfireStrategy:e.misfireStrategy??"DO_NOTHING",glueType:e.glueType??"BEAN",executorHandler:e.executorHandler??"",executorParam:e.executorParam??"",glueSource:e.glueSource??"",glueRemark:e.glueRemark??"",executorRouteStrategy:e.executorRouteStrategy??"FIRST",executorBlockStrategy:e.executorBlockStrategy??"SERIAL_EXECUTION",executorTimeout:String(e.executorTimeout??0),executorFailRetryCount:String(e.executorFailRetryCount??0),childJobIds:(e.childJobIds??[]).join(", "),misfireWindowMs:t(n.misfireWindowMs),misfireLimit:t(n.misfireLimit),misfireSpacingMs:t(n.misfireSpacingMs),ambiguous:n.ambiguous??"",retryBackoffMs:t(n.retryBackoffMs),retryBackoffLimitMs:t(n.retryBackoffLimitMs),alarmOn:n.alarmOn??"",alarmAfter:t(n.alarmAfter),alarmRecovered:n.alarmRecovered?"true":"",keepLogs:n.keepLogs??""}}var jn=class extends Error{constructor(t,o){super(o);this.field=t;this.text=o}field;text};function kn(e,n){let t=Number(n.trim()||0);if(!Number.isSafeInteger(t))throw new jn(e,n);return t}function Pr(e){return e.split(/[,，]/).map(n=>n.trim()).filter(Boolean)}function iu(e){let n={};for(let o of Rr)e[o].trim()&&(n[o]=kn(o,e[o]));for(let o of xr)e[o]&&(n[o]=e[o]);e.alarmRecovered&&(n.alarmRecovered=!0);let t={jobGroup:Number(e.jobGroup)||void 0,name:e.name.trim(),author:e.author.trim(),alarmEmail:e.alarmEmail.trim(),tags:Pr(e.tags),scheduleType:e.scheduleType,scheduleConf:e.scheduleType==="NONE"?"":e.scheduleConf.trim(),misfireStrategy:e.misfireStrategy,glueType:e.glueType,executorHandler:e.executorHandler.trim(),executorParam:e.executorParam,executorRouteStrategy:e.executorRouteStrategy,executorBlockStrategy:e.executorBlockStrategy,executorTimeout:kn("executorTimeout",e.executorTimeout),executorFailRetryCount:kn("executorFailRetryCount",e.executorFailRetryCount),childJobIds:e.childJobIds.split(/[\s,，]+/).filter(Boolean).map(o=>kn("childJobIds",o)),settings:n};return e.glueType!=="BEAN"&&Object.assign(t,{glueSource:e.glueSource,glueRemark:e.glueRemark}),t}function su(e,n){return Object.keys(n).filter(t=>e[t]!==n[t])}export{r as a,I as b,Or as c,M as d,F as e,an as f,U as g,sn as h,T as i,E as j,O as k,$ as l,Ue as m,It as n,Jr as o,$o as p,W as q,Y as r,Kr as s,G as t,Ho as u,ge as v,q as w,$e as x,$t as y,qo as z,D as A,ea as B,hn as C,c as D,Ge as E,aa as F,Be as G,Te as H,B as I,le as J,ue as K,He as L,qt as M,Qo as N,Ce as O,pn as P,We as Q,Kt as R,da as S,ce as T,fa as U,ze as V,Wn as W,H as X,Ne as Y,Qt as Z,mn as _,gn as $,A as aa,Ta as ba,Sa as ca,_n as da,zn as ea,Ca as fa,qn as ga,Na as ha,Me as ia,Ma as ja,Aa as ka,J as la,tr as ma,Da as na,Ia as oa,jt as pa,X as qa,no as ra,Jn as sa,te as ta,V as ua,so as va,ja as wa,yn as xa,ei as ya,Z as za,bn as Aa,li as Ba,Ii as Ca,Zn as Da,Fi as Ea,Ei as Fa,Ui as Ga,wn as Ha,qi as Ia,ho as Ja,br as Ka,_e as La,Le as Ma,po as Na,os as Oa,pr as Pa,Ci as Qa,ms as Ra,mo as Sa,go as Ta,Es as Ua,Sr as Va,Cr as Wa,Nr as Xa,Mr as Ya,vo as Za,eu as _a,nu as $a,ru as ab,au as bb,jn as cb,Pr as db,iu as eb,su as fb};
